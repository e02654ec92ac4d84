//! Push and pull: to a directory, and over HTTP to git's own server.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;

use super::*;

/// A repository with a remote that has its first commit, and a second clone of that.
fn joined() -> Place {
    let place = place();
    place.git(&["clone", "-q", "--bare", ".", "../far.git"]);
    let far = fs::canonicalize(place.at("../far.git")).unwrap();
    place.git(&["remote", "add", "origin", far.to_str().unwrap()]);
    place.git(&["clone", "-q", "../far.git", "../second"]);
    place
}

impl Place {
    fn push(&self, branch: Option<&str>) -> Result<Pushed> {
        let step = self.begin();
        let pushed = self.open_for(&step).push("origin", branch);
        assert!(step.note_program().unwrap().notes.is_empty());
        step.keep().unwrap();
        pushed
    }

    fn pull(&self, branch: Option<&str>) -> Result<Pulled> {
        self.open().pull("origin", branch)
    }

    fn commit(&self, dir: &str, file: &str, text: &str) {
        self.write(Path::new(dir).join(file), text);
        self.git_in(dir, &["add", "-A"]);
        self.git_in(dir, &["commit", "-qm", text]);
    }

    /// The last commit of a branch of the remote.
    fn far(&self, branch: &str) -> String {
        text(&self.git_in("../far.git", &["rev-parse", branch])).trim().to_owned()
    }
}

/// Programs may write to the workspace alone, and the remote of a push is a directory beside it.
fn open_to_far(place: &mut Place) {
    let more = [(fs::canonicalize(place.at("../far.git")).unwrap(), Access::Write)];
    place.workspace = Workspace::open(&place.at(""), &more, Limits::default()).unwrap();
}

#[test]
fn a_push_sets_what_the_branch_follows_and_a_second_finds_nothing_new() {
    let mut place = joined();
    open_to_far(&mut place);
    place.vet();
    place.commit("", "a", "two");
    let pushed = place.push(None).unwrap();
    assert_eq!((pushed.branch.as_str(), pushed.up_to_date), ("trunk", false));
    assert_eq!(place.far("trunk"), place.line(&["rev-parse", "HEAD"]));
    assert_eq!(place.line(&["rev-parse", "--abbrev-ref", "@{upstream}"]), "origin/trunk");
    assert!(place.push(None).unwrap().up_to_date);
    place.git(&["branch", "side"]);
    assert_eq!(place.push(Some("side")).unwrap().branch, "side");
    assert_eq!(place.push(Some("none")).unwrap_err().code, Code::BranchNotFound);
    let error = place.open().push("elsewhere", None).unwrap_err();
    assert_eq!(error.code, Code::RemoteNotFound);
    assert!(error.message.contains("there is origin"), "{error}");
    let ways = ["--mirror", "ext::sh -c x", "https://example.org/x"];
    for way in ways {
        let error = place.open().push(way, None).unwrap_err();
        assert_eq!(error.code, Code::RemoteNotFound, "{way}");
    }
    place.git(&["switch", "-q", "--detach"]);
    assert_eq!(place.push(None).unwrap_err().code, Code::CouldNotDetermineBranch);
}

#[test]
fn a_push_that_the_remote_refuses() {
    let mut place = joined();
    place.vet();
    open_to_far(&mut place);
    place.commit("../second", "a", "theirs");
    place.git_in("../second", &["push", "-q"]);
    place.commit("", "a", "mine");
    let error = place.push(None).unwrap_err();
    assert_eq!(error.code, Code::PushRejected, "{error}");
    assert!(error.message.contains("fetch first"), "{error}");
    let hook = "../far.git/hooks/pre-receive";
    place.write(hook, "#!/bin/sh\necho rule 7 forbids it >&2; exit 1\n");
    make_executable(&place.at(hook));
    place.git(&["branch", "side"]);
    let error = place.push(Some("side")).unwrap_err();
    assert_eq!(error.code, Code::PushRejected, "{error}");
    assert!(error.detail("output").unwrap().contains("rule 7 forbids it"), "{error:?}");
    place.hook("pre-push", "echo tests fail >&2; exit 1");
    let error = place.push(Some("side")).unwrap_err();
    assert_eq!(error.code, Code::HookFailed, "{error}");
    assert!(error.message.contains("tests fail"), "{error}");
}

#[test]
fn a_pull_goes_forward_merges_or_rebases() {
    let place = joined();
    assert_eq!(place.pull(None).unwrap_err().code, Code::NoUpstream);
    place.commit("../second", "theirs", "1");
    place.git_in("../second", &["push", "-q"]);
    let before = place.line(&["rev-parse", "HEAD"]);
    let pulled = place.pull(Some("trunk")).unwrap();
    assert_eq!(pulled.commits, (Some(before), place.far("trunk")));
    let pulled = place.pull(Some("trunk")).unwrap();
    assert_eq!(pulled.commits.0.as_ref(), Some(&pulled.commits.1));
    place.git(&["branch", "-q", "--set-upstream-to=origin/trunk"]);
    place.commit("../second", "theirs", "2");
    place.git_in("../second", &["push", "-q"]);
    place.commit("", "mine", "3");
    place.pull(None).unwrap();
    assert_eq!(place.line(&["log", "-1", "--format=%s"]), "Merge branch 'trunk' of origin");
    assert_eq!(place.line(&["rev-list", "--count", "--merges", "HEAD"]), "1");
    place.git(&["reset", "-q", "--hard", "HEAD^"]);
    place.git(&["config", "pull.rebase", "true"]);
    place.pull(None).unwrap();
    assert_eq!(place.line(&["rev-list", "--count", "--merges", "HEAD"]), "0");
    assert_eq!(place.line(&["log", "-1", "--format=%s"]), "3");
    place.git(&["config", "pull.rebase", "false"]);
    place.git(&["config", "pull.ff", "only"]);
    place.commit("../second", "theirs", "4");
    place.git_in("../second", &["push", "-q"]);
    assert_eq!(place.pull(None).unwrap_err().code, Code::GitFailed);
    assert_eq!(place.pull(Some("none")).unwrap_err().code, Code::BranchNotFound);
    place.git(&["switch", "-q", "--detach"]);
    assert_eq!(place.pull(None).unwrap_err().code, Code::CouldNotDetermineBranch);
}

#[test]
fn a_pull_that_meets_changes_or_a_conflict() {
    let place = joined();
    place.commit("../second", "a", "theirs\n");
    place.git_in("../second", &["push", "-q"]);
    place.write("a", "not committed\n");
    let error = place.pull(Some("trunk")).unwrap_err();
    assert_eq!(error.code, Code::LocalChanges, "{error}");
    assert_eq!(fs::read_to_string(place.at("a")).unwrap(), "not committed\n");
    place.git(&["commit", "-qam", "Mine"]);
    let error = place.pull(Some("trunk")).unwrap_err();
    assert_eq!((error.code, error.detail("files")), (Code::MergeConflict, Some("a")), "{error}");
    assert!(error.message.contains("git merge --abort"), "{error}");
    assert!(fs::read_to_string(place.at("a")).unwrap().contains("<<<<<<< "));
    let error = place.pull(Some("trunk")).unwrap_err();
    assert_eq!(error.code, Code::MergeConflict, "{error}");
    place.git(&["merge", "--abort"]);
    place.git(&["config", "pull.rebase", "true"]);
    let error = place.pull(Some("trunk")).unwrap_err();
    assert!(error.message.contains("git rebase --abort"), "{error}");
}

#[test]
fn a_pull_into_an_empty_repository() {
    let place = joined();
    place.git(&["init", "-q", "fresh"]);
    let far = fs::canonicalize(place.at("../far.git")).unwrap();
    place.git_in("fresh", &["remote", "add", "origin", far.to_str().unwrap()]);
    let pulled = place.open_in("fresh").unwrap().pull("origin", Some("trunk")).unwrap();
    assert_eq!(pulled.commits, (None, place.far("trunk")));
    assert!(place.at("fresh/a").exists());
}

#[test]
fn a_remote_that_is_gone_or_cannot_be_reached() {
    let place = place();
    place.git(&["remote", "add", "origin", "/nonexistent/far.git"]);
    let error = place.pull(Some("trunk")).unwrap_err();
    assert_eq!(error.code, Code::RemoteNotFound, "{error}");
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    place.git(&["remote", "set-url", "origin", &format!("http://{free}/far.git")]);
    let error = place.pull(Some("trunk")).unwrap_err();
    assert_eq!(error.code, Code::NetworkUnreachable, "{error}");
    place.git(&["remote", "set-url", "origin", "http://nowhere.invalid/far.git"]);
    assert_eq!(place.pull(Some("trunk")).unwrap_err().code, Code::NetworkUnreachable);
}

#[test]
fn push_and_pull_over_http() {
    let place = joined();
    place.git_in("../far.git", &["config", "http.receivepack", "true"]);
    let address = serve(place.at(".."), false);
    place.git(&["remote", "set-url", "origin", &format!("http://{address}/far.git")]);
    place.commit("", "a", "over http");
    place.push(None).unwrap();
    assert_eq!(place.far("trunk"), place.line(&["rev-parse", "HEAD"]));
    place.git_in("../second", &["pull", "-q"]);
    place.commit("../second", "a", "back");
    place.git_in("../second", &["push", "-q"]);
    place.pull(None).unwrap();
    assert_eq!(place.far("trunk"), place.line(&["rev-parse", "HEAD"]));
    place.git(&["remote", "set-url", "origin", &format!("http://{address}/none.git")]);
    assert_eq!(place.pull(None).unwrap_err().code, Code::RemoteNotFound);
}

#[test]
fn a_server_that_wants_a_password_is_not_waited_for() {
    let place = joined();
    let address = serve(place.at(".."), true);
    place.git(&["remote", "set-url", "origin", &format!("http://{address}/far.git")]);
    let helper = place.at("../home/askpass");
    fs::write(&helper, "#!/bin/sh\nsleep 600\n").unwrap();
    make_executable(&helper);
    place.git(&["config", "--global", "core.askPass", helper.to_str().unwrap()]);
    for error in [place.pull(Some("trunk")).unwrap_err(), place.push(None).unwrap_err()] {
        assert_eq!(error.code, Code::AuthenticationFailed, "{error}");
        assert!(error.message.contains("a password cannot be typed here"), "{error}");
    }
}

#[test]
fn credentials_that_the_person_stored_are_used() {
    let place = joined();
    let address = serve(place.at(".."), true);
    place.git(&["remote", "set-url", "origin", &format!("http://{address}/far.git")]);
    place.write("../home/.git-credentials", &format!("http://ann:secret@{address}\n"));
    place.git(&["config", "--global", "credential.helper", "store"]);
    place.commit("../second", "b", "theirs");
    place.git_in("../second", &["push", "-q"]);
    place.pull(Some("trunk")).unwrap();
    assert_eq!(place.far("trunk"), place.line(&["rev-parse", "HEAD"]));
    // A repository among the files of the workspace gets no keys: programs could have written it.
    place.git(&["clone", "-q", "../far.git", "nested"]);
    place.git_in("nested", &["remote", "set-url", "origin", &format!("http://{address}/far.git")]);
    let error = place.open_in("nested").unwrap().pull("origin", Some("trunk"));
    if place.runner.containment().fence == crate::process::Fence::Nothing {
        println!("SKIPPED: no sandbox works here");
    } else {
        assert_eq!(error.unwrap_err().code, Code::AuthenticationFailed);
    }
}

/// Git's own server behind a server of HTTP that knows just enough; with `guarded`, it wants a name
/// and a password, any.
fn serve(folder: PathBuf, guarded: bool) -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let folder = fs::canonicalize(folder).unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let _ = answer(stream, &folder, guarded);
        }
    });
    address
}

fn answer(mut stream: TcpStream, folder: &Path, guarded: bool) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let header = |name: &str| {
        let found = lines.iter().skip(1).filter_map(|l| l.split_once(": "));
        found.into_iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v.to_owned())
    };
    let length = header("content-length").and_then(|l| l.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    if guarded && header("authorization").is_none() {
        let head = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\n";
        return write!(stream, "{head}Content-Length: 0\r\nConnection: close\r\n\r\n");
    }
    let mut words = lines[0].split(' ');
    let (method, target) = (words.next().unwrap(), words.next().unwrap());
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut child = Command::new("git")
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", folder)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("REQUEST_METHOD", method)
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("CONTENT_LENGTH", length.to_string())
        .env("CONTENT_TYPE", header("content-type").unwrap_or_default())
        .env("HTTP_CONTENT_ENCODING", header("content-encoding").unwrap_or_default())
        .env("GIT_PROTOCOL", header("git-protocol").unwrap_or_default())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    child.stdin.take().unwrap().write_all(&body)?;
    let out = child.wait_with_output()?.stdout;
    let at = out.windows(4).position(|w| w == b"\r\n\r\n").unwrap_or(0);
    let head = text(&out[..at]);
    let status = head.lines().find_map(|l| l.strip_prefix("Status: ")).unwrap_or("200 OK");
    write!(stream, "HTTP/1.1 {status}\r\nConnection: close\r\n{head}\r\n\r\n")?;
    stream.write_all(&out[at + 4..])
}
