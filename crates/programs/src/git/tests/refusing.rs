//! Where there is no repository, or none that may be used.

use super::*;

#[track_caller]
fn refused(place: &Place, dir: &str) -> Error {
    match place.open_in(dir) {
        Err(error) => error,
        Ok(repository) => panic!("opened {}", repository.top()),
    }
}

#[test]
fn a_folder_that_belongs_to_no_repository() {
    let place = Place::new(Sandbox::Auto, Limits::default());
    let error = refused(&place, ".");
    assert_eq!(error.code, Code::NotAGitRepository);
    assert_eq!(
        error.message,
        ".: not a git repository; run `git init` to make it one, or name the directory of a repository"
    );
    assert_eq!(refused(&place, "nowhere").code, Code::DirectoryNotFound);
    place.write("file", "");
    assert_eq!(refused(&place, "file").code, Code::NotADirectory);
    assert_eq!(refused(&place, "..").code, Code::PathOutsideWorkspace);
}

#[test]
fn a_repository_that_begins_above_the_workspace() {
    let place = Place::new(Sandbox::Auto, Limits::default());
    place.git_in("..", &["init", "-q"]);
    place.write("inner/x", "");
    for dir in [".", "inner"] {
        let error = refused(&place, dir);
        assert_eq!(error.code, Code::NotAGitRepository, "{error}");
        assert!(error.message.contains("the workspace is inside one"), "{error}");
    }
    let above = fs::canonicalize(place.at("..")).unwrap();
    let more = [(above, files::Access::Read)];
    let workspace = Workspace::open(&place.at(""), &more, Limits::default()).unwrap();
    let repository =
        Repository::open(&place.runner, &workspace, &place.cancel, None, &place.vetted(), ".")
            .unwrap();
    assert!(repository.status().is_ok());
    let error = repository.stage(&[]).unwrap_err();
    assert_eq!(error.code, Code::PermissionDenied, "{error}");
}

#[test]
fn a_git_file_that_leads_to_somebody_elses_repository() {
    let place = Place::new(Sandbox::Auto, Limits::default());
    place.git_in("..", &["init", "-q", "secret"]);
    let secret = fs::canonicalize(place.at("../secret/.git")).unwrap();
    place.write(".git", &format!("gitdir: {}\n", secret.display()));
    let error = refused(&place, ".");
    assert_eq!(error.code, Code::PathOutsideWorkspace, "{error}");
    fs::remove_file(place.at(".git")).unwrap();
    std::os::unix::fs::symlink(&secret, place.at(".git")).unwrap();
    assert_eq!(refused(&place, ".").code, Code::PathOutsideWorkspace);
    fs::remove_file(place.at(".git")).unwrap();
    // A directory of its own that names the other as where the history is.
    place.git(&["init", "-q"]);
    place.write(".git/commondir", &secret.display().to_string());
    assert_eq!(refused(&place, ".").code, Code::PathOutsideWorkspace);
}

#[test]
fn a_work_tree_outside() {
    let place = Place::new(Sandbox::Auto, Limits::default());
    place.git(&["init", "-q"]);
    place.git(&["config", "core.worktree", "../../home"]);
    let error = refused(&place, ".");
    assert_eq!(error.code, Code::PathOutsideWorkspace, "{error}");
}

#[test]
fn a_broken_repository_is_no_missing_one() {
    let place = place();
    place.write(".git/config", "[broken\n");
    let error = refused(&place, ".");
    assert_eq!(error.code, Code::GitFailed, "{error}");
    assert!(error.message.contains("bad config line 1"), "{error}");
    place.write(".git/config", "");
    place.write(".git/HEAD", "nonsense\n");
    assert_eq!(refused(&place, ".").code, Code::NotAGitRepository);
}

#[test]
fn files_that_nobody_knows_and_paths_that_lead_out() {
    let place = place();
    let diff = |file: &str| place.open().diff(&[file.to_owned()], false).unwrap_err().code;
    assert_eq!(diff("nowhere"), Code::FileNotFound);
    assert_eq!(diff("../home/.gitconfig"), Code::PathOutsideWorkspace);
    assert_eq!(diff("/etc/passwd"), Code::PathOutsideWorkspace);
    assert_eq!(diff(""), Code::InvalidInput);
    assert_eq!(diff("--output=x"), Code::FileNotFound);
    let stage = |file: &str| place.open().stage(&[file.to_owned()]).unwrap_err().code;
    assert_eq!(stage("nowhere"), Code::FileNotFound);
    assert_eq!(stage("../home/.gitconfig"), Code::PathOutsideWorkspace);
    assert_eq!(stage(":(glob)*"), Code::FileNotFound);
    assert!(!place.at("x").exists());
}

#[test]
fn a_call_that_nobody_wants_any_more() {
    let place = place();
    place.cancel.cancel();
    assert_eq!(refused(&place, ".").code, Code::Cancelled);
}

#[test]
fn a_line_of_a_file_outside_is_not_printed_by_git() {
    for name in ["packed-refs", "shallow", "info/grafts", "objects/info/alternates", "HEAD"] {
        let place = place();
        let secret = place.dir.path().join("secret");
        fs::write(&secret, "the secret line\n").unwrap();
        let _ = fs::remove_file(place.at(".git").join(name));
        std::os::unix::fs::symlink(&secret, place.at(".git").join(name)).unwrap();
        let mut said = String::new();
        match place.open_in(".") {
            Err(error) => said += &error.message,
            Ok(repository) => {
                said += &format!("{:?} {:?}", repository.branches(), repository.status());
                said += &format!("{:?}", repository.log(&Wanted::default()));
            }
        }
        assert!(!said.contains("secret line"), "{name}: {said}");
    }
}
