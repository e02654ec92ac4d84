//! What is kept on disk, how fresh it is, and what happens when it is damaged.

use std::fs;
use std::time::{Duration, SystemTime};

use fault::Code;
use files::State;
use index::Index;

use super::{Project, ask, files};

const APPLE: &str = "def peel_apple(fruit):\n    return fruit\n";
const CARROT: &str = "def chop_carrot(vegetable):\n    return vegetable\n";

#[test]
fn a_question_after_an_edit_sees_the_edit() {
    let project = Project::new(&[("a.py", APPLE), ("b.py", CARROT)]);
    let (index, workspace) = (project.index(), project.workspace());
    assert_eq!(files(&ask(&index, &workspace, "apple").unwrap()), ["a.py"]);
    project.put("a.py", CARROT);
    project.put("c.py", APPLE);
    assert_eq!(files(&ask(&index, &workspace, "apple").unwrap()), ["c.py"]);
    fs::remove_file(project.root().join("c.py")).unwrap();
    let none = ask(&index, &workspace, "peel apple").unwrap();
    assert!(none.hits.iter().all(|hit| !hit.snippet.contains("apple")));
}

#[test]
fn an_edit_of_the_same_size_and_the_same_moment_is_seen() {
    let project = Project::new(&[("a.py", "def apple(): pass\n")]);
    let (index, workspace) = (project.index(), project.workspace());
    let now = SystemTime::now();
    let same_time = |project: &Project| {
        let file = fs::File::options().write(true).open(project.root().join("a.py")).unwrap();
        file.set_modified(now).unwrap();
    };
    same_time(&project);
    assert_eq!(ask(&index, &workspace, "apple").unwrap().hits[0].name, "apple");
    project.put("a.py", "def lemon(): pass\n");
    same_time(&project);
    assert_eq!(ask(&index, &workspace, "lemon").unwrap().hits[0].name, "lemon");
}

#[test]
fn the_next_server_finds_what_this_one_kept() {
    let project = Project::new(&[("a.py", APPLE), ("b.py", CARROT)]);
    std::thread::sleep(Duration::from_millis(200)); // what was changed just now is read twice
    let before = ask(&project.index(), &project.workspace(), "apple").unwrap();
    let kept = fs::metadata(project.database()).unwrap().modified().unwrap();
    let after = ask(&project.index(), &project.workspace(), "apple").unwrap();
    assert_eq!(before, after);
    assert_eq!(fs::metadata(project.database()).unwrap().modified().unwrap(), kept, "written anew");
}

#[test]
fn a_damaged_index_is_made_anew() {
    let project = Project::new(&[("a.py", APPLE)]);
    ask(&project.index(), &project.workspace(), "apple").unwrap();
    for damage in [b"no database".to_vec(), Vec::new(), vec![0xff; 100_000]] {
        fs::write(project.database(), damage).unwrap();
        for end in ["-wal", "-shm"] {
            let _ = fs::remove_file(project.database().with_extension(format!("db{end}")));
        }
        let answer = ask(&project.index(), &project.workspace(), "apple").unwrap();
        assert_eq!((files(&answer), &answer.note), (vec!["a.py"], &None));
    }
}

#[test]
fn an_index_of_another_version_is_made_anew() {
    let project = Project::new(&[("a.py", APPLE)]);
    ask(&project.index(), &project.workspace(), "apple").unwrap();
    let db = rusqlite::Connection::open(project.database()).unwrap();
    db.execute_batch("DROP TABLE files; CREATE TABLE files (other); PRAGMA user_version = 77")
        .unwrap();
    drop(db);
    let answer = ask(&project.index(), &project.workspace(), "apple").unwrap();
    assert_eq!((files(&answer), &answer.note), (vec!["a.py"], &None));
}

#[test]
fn without_a_state_folder_memory_is_enough_and_it_is_said() {
    let project = Project::new(&[("a.py", APPLE)]);
    fs::write(project.state(), "a file where the directory should be").unwrap();
    let answer = ask(&project.index(), &project.workspace(), "apple").unwrap();
    assert_eq!(files(&answer), ["a.py"]);
    assert!(answer.note.unwrap().contains("only in memory"));
}

#[test]
fn an_index_of_a_folder_that_is_gone_cannot_be_built() {
    let project = Project::new(&[("a.py", APPLE)]);
    let (index, workspace) = (project.index(), project.workspace());
    fs::remove_dir_all(project.root()).unwrap();
    let error = ask(&index, &workspace, "apple").unwrap_err();
    assert_eq!(error.code, Code::IndexNotBuilt, "{error}");
}

#[test]
fn several_servers_share_one_index() {
    let project = Project::new(&[]);
    for n in 0..200 {
        project.put(&format!("f{n}.py"), format!("def unique{n}():\n    pass\n\n{APPLE}"));
    }
    std::thread::scope(|scope| {
        for n in 0..4 {
            let project = &project;
            scope.spawn(move || {
                let index = Index::new(State::new(project.state()));
                for fruit in ["cherry", "melon", "plum", "quince", "grape"] {
                    let name = format!("{fruit}{n}");
                    project.put(&format!("own{n}.py"), format!("def {name}():\n    pass\n"));
                    let answer = ask(&index, &project.workspace(), &name).unwrap();
                    assert_eq!(answer.hits[0].name, name);
                    assert_eq!(answer.note, None);
                }
            });
        }
    });
    let all = rusqlite::Connection::open(project.database()).unwrap();
    let count: i64 = all.query_row("SELECT count(*) FROM files", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 204);
}
