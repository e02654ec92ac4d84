//! The verdict of kit `edit`: what an edit broke is told, and what it did not break is not.

mod edits;
mod projects;

use toolkit::serde_json::Value;
use toolkit::testing::run;
use toolkit::{Done, Policy};

use self::edits::{EDITS, Edit};
use crate::{open, place};

/// What is said beside what was done.
fn verdict(done: &Done) -> Vec<String> {
    let text = done.body.to_text();
    let marks = ["syntax error: ", "not checked: ", "error: "];
    let is_told = |line: &&str| {
        marks.iter().any(|mark| line.starts_with(mark)) || line.contains("still used: ")
    };
    text.lines().filter(is_told).map(str::to_owned).collect()
}

#[test]
fn sixty_edits_are_judged_as_they_are() {
    let (mut broken, mut found, mut whole, mut blamed) = (0_usize, 0, 0_usize, 0);
    let (mut wrong, mut walls) = (Vec::new(), Vec::new());
    for Edit { about, project, call, says } in EDITS {
        let place = place(project, |_| {});
        let session = open(&place, "kit", Policy::Trust);
        let input: Value = toolkit::serde_json::from_str(call).expect(about);
        let done = run(&session, "edit", input);
        assert!(done.error.is_none(), "{about}: {:?}", done.body);
        walls.push(done.wall);
        let told = verdict(&done);
        if says.is_empty() {
            whole += 1;
            if !told.is_empty() {
                blamed += 1;
                wrong.push(format!("{about}: blamed: {told:?}"));
            }
        } else {
            broken += 1;
            match told.iter().any(|line| line.starts_with(says)) {
                true => found += 1,
                false => wrong.push(format!("{about}: not found: {}", done.body.to_text())),
            }
            let other = told.iter().filter(|line| !line.starts_with(says)).count();
            if other > 0 && !says.starts_with("syntax error") {
                wrong.push(format!("{about}: also: {told:?}"));
            }
        }
    }
    println!("{found} of {broken} breaking edits found, {blamed} of {whole} harmless ones blamed");
    walls.sort_unstable();
    println!(
        "an edit with its verdict: half within {:?}, all in {:?}",
        walls[walls.len() / 2],
        walls[walls.len() - 1]
    );
    println!("{}", wrong.join("\n"));
    assert!(broken + whole >= 60 && broken.abs_diff(whole) <= 6, "{broken} and {whole}");
    assert!(found * 100 >= broken * 95, "{}", wrong.join("\n"));
    assert!(blamed * 100 <= whole * 2, "{}", wrong.join("\n"));
}
