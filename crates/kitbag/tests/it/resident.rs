//! The resident tree in a real server: killed at any moment, beside another server, with programs
//! that change files while it stands.

use std::time::Duration;

use serde_json::json;

use crate::place::{Place, wait_until};

/// More files than are worth an index.
const FILES: usize = 1200;

fn many_files() -> Place {
    let place = Place::new();
    for number in 0..FILES {
        let path = place.path(&format!("src/d{}/f{number}.rs", number % 40));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("fn number_{number}() {{ common_word(); }}\n")).unwrap();
    }
    place
}

fn segments(place: &Place) -> usize {
    let names = std::fs::read_dir(place.state().join("words")).into_iter().flatten().flatten();
    names.filter(|entry| entry.file_name().to_string_lossy().ends_with(".words")).count()
}

#[test]
fn an_index_that_is_killed_while_it_is_written_is_never_half_an_answer() {
    let place = many_files();
    // Files that were changed just now are left alone by the index.
    std::thread::sleep(Duration::from_millis(200));
    for round in 0..8 {
        let mut fiz = place.serve("fiz", "auto");
        fiz.call("grep", &json!({"pattern": "number_7\\b"})).ok();
        std::thread::sleep(Duration::from_millis(round * 40));
        let found = fiz.call("grep", &json!({"pattern": "number_77\\("})).text().to_owned();
        assert_eq!(found, "src/d37/f77.rs:1:fn number_77() { common_word(); }", "round {round}");
        fiz.kill();
    }
    let mut fiz = place.serve("fiz", "auto");
    wait_until("the index is written", || {
        fiz.call("grep", &json!({"pattern": "number_1\\b"})).ok();
        segments(&place) > 0
    });
    for number in [0, 1, 599, 1199] {
        let found =
            fiz.call("find", &json!({"pattern": format!("**/f{number}.rs")})).text().to_owned();
        assert_eq!(found, format!("src/d{}/f{number}.rs", number % 40));
        let found =
            fiz.call("grep", &json!({"pattern": format!("number_{number}\\(")})).text().to_owned();
        assert_eq!(found.lines().count(), 1, "{found}");
    }
}

#[test]
fn what_programs_and_persons_change_is_found_by_the_next_call() {
    let place = many_files();
    std::thread::sleep(Duration::from_millis(200));
    let (mut one, mut two) = (place.serve("fiz", "auto"), place.serve("fiz", "auto"));
    for server in [&mut one, &mut two] {
        wait_until("the index is written", || {
            server.call("grep", &json!({"pattern": "number_1\\b"})).ok();
            segments(&place) > 0
        });
    }
    for round in 0..10 {
        let word = format!("fresh_{round}");
        let line = format!(
            "echo {word} > made{round}.txt; sed -i s/number_{round}\\(/{word}\\(/ src/d{round}/f{round}.rs"
        );
        one.call("bash", &json!({"command": line})).ok();
        for server in [&mut one, &mut two] {
            let found = server.call("grep", &json!({"pattern": word})).text().to_owned();
            assert_eq!(
                found,
                format!(
                    "made{round}.txt:1:{word}\nsrc/d{round}/f{round}.rs:1:fn {word}() {{ common_word(); }}"
                ),
                "round {round}"
            );
        }
        std::fs::remove_file(place.path(&format!("made{round}.txt"))).unwrap();
        let found =
            two.call("find", &json!({"pattern": format!("made{round}.txt")})).text().to_owned();
        assert!(found.starts_with("(no "), "round {round}: {found}");
    }
}
