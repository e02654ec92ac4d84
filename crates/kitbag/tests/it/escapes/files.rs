//! Writing and reading outside of the root.

use super::Sandbox::Landlock;
use super::{Attempt, attempt, none_gets_out};

const WRITES: &[Attempt] = &[
    attempt("a new file", "echo x > {outside}/new"),
    attempt("an existing file", "echo x >> {outside}/secret"),
    attempt("removal", "rm -rf {outside}/secret {outside}/directory"),
    attempt("a mode", "chmod 777 {outside}/secret {outside}/directory {outside}"),
    attempt("an owner", "chown 1:1 {outside}/secret"),
    attempt("a rename", "mv {outside}/secret {outside}/other"),
    attempt("a move out", "mv kept {outside}/kept"),
    attempt("a move in", "mv {outside}/secret here"),
    attempt("a truncation", ": > {outside}/secret"),
    attempt("dots", "cd .. && echo x > outside/new; echo x > ../outside/new2"),
    attempt("a link", "ln -s {outside}/secret l && echo x > l"),
    attempt("a linked directory", "ln -s {outside} d && echo x > d/new"),
    attempt("a hard link", "ln {outside}/secret l && echo x > l"),
    attempt("the working directory of init", "echo x > /proc/1/cwd{outside}/new"),
    attempt("the root of init", "echo x > /proc/1/root{outside}/new"),
    attempt("its own root", "echo x > /proc/self/root{outside}/new"),
    attempt("the home directory", "echo x > {home}/new; echo x > ~/new2"),
    attempt("what shells run", "for f in .bashrc .profile .zshenv; do echo x >> {home}/$f; done"),
    attempt(
        "what sessions start",
        "mkdir -p {home}/.config/autostart; echo x > {home}/.config/autostart/x.desktop",
    ),
    attempt("who may log in", "echo x >> {home}/.ssh/authorized_keys"),
    attempt(
        "programs of the person's",
        "mkdir -p {home}/.local/bin && echo x > {home}/.local/bin/git",
    ),
    attempt("what git obeys", "git config --global core.pager evil; echo x >> {home}/.gitconfig"),
    attempt(
        "what cargo obeys",
        "mkdir -p {home}/.cargo/bin; echo x > {home}/.cargo/config.toml; echo x > {home}/.cargo/bin/cargo",
    ),
    Attempt {
        after: |den| trace_of(&den.dir().join("state/evil")),
        ..attempt("the state directory", "echo x > {state}/evil; echo x > {state}/journal/evil")
    },
    Attempt {
        after: |den| {
            let note = den.dir().join("state/note");
            (!note.exists()).then(|| "the state directory is gone".to_owned())
        },
        ..attempt("removal of the state directory", "rm -rf {state}")
    },
    system("/etc", "echo x > /etc/kitbag-escape"),
    system("/usr", "echo x > /usr/local/bin/kitbag-escape"),
    system("/opt", "echo x > /opt/kitbag-escape"),
    system("/run", "echo x > /run/kitbag-escape"),
    system("/tmp", "echo x > /tmp/kitbag-escape"),
    system("/var/tmp", "echo x > /var/tmp/kitbag-escape"),
    system("/dev/shm", "echo x > /dev/shm/kitbag-escape"),
    system(
        "timed jobs",
        "echo x > /var/spool/cron/kitbag-escape; mkdir -p /var/spool/cron/crontabs; echo x > /var/spool/cron/crontabs/kitbag-escape",
    ),
    Attempt {
        after: |den| {
            let root = den.place.root();
            (!root.is_dir() || root.is_symlink()).then(|| "the root was moved".to_owned())
        },
        ..attempt("the root itself", "mv {root} {root}2; rm -rf {root}; ln -s {outside} {root}")
    },
    Attempt {
        before: |den| den.place.write("d/secret", "inside\n"),
        after: |den| {
            den.place.run(&["undo"]);
            None
        },
        ..attempt("a directory swapped for a link, then undo", "rm -r d; ln -s {outside} d")
    },
    Attempt {
        before: |den| den.place.write("directory/deep/f", "inside\n"),
        after: |den| {
            den.place.run(&["undo"]);
            den.place.run(&["redo"]);
            None
        },
        ..attempt(
            "a directory above swapped for a link, then undo and redo",
            "rm -r directory; ln -s {outside}/directory directory; mkdir directory/deep; echo x > directory/deep/f",
        )
    },
];

/// A place of the system's where nobody else has a file of this name.
const fn system(name: &'static str, script: &'static str) -> Attempt {
    Attempt {
        after: |_| SYSTEM.iter().find_map(|path| trace_of(path.as_ref())),
        ..attempt(name, script)
    }
}

const SYSTEM: &[&str] = &[
    "/etc/kitbag-escape",
    "/usr/local/bin/kitbag-escape",
    "/opt/kitbag-escape",
    "/run/kitbag-escape",
    "/tmp/kitbag-escape",
    "/var/tmp/kitbag-escape",
    "/dev/shm/kitbag-escape",
    "/var/spool/cron/kitbag-escape",
    "/var/spool/cron/crontabs/kitbag-escape",
];

/// That a file is there, which is removed.
fn trace_of(path: &std::path::Path) -> Option<String> {
    std::fs::remove_file(path).ok().map(|()| format!("{} was written", path.display()))
}

const READS: &[Attempt] = &[
    attempt("a file", "cat {outside}/secret"),
    attempt("the home directory", "cat {home}/Documents/diary ~/Documents/diary"),
    attempt("names in the home directory", "ls -A {home}/Documents | grep -q . && echo GOT OUT"),
    attempt("the state directory", "cat {state}/note"),
    attempt("a link", "ln -s {outside}/secret l; cat l"),
    attempt("a hard link", "ln {outside}/secret l && cat l"),
    attempt("dots", "cat ../outside/secret"),
    attempt("its own root", "cat /proc/self/root{outside}/secret /proc/self/root{home}/.netrc"),
    attempt("the root of init", "cat /proc/1/root{outside}/secret"),
    attempt("the roots of all", "cat /proc/[0-9]*/root{outside}/secret"),
    attempt("the working directories of all", "cat /proc/[0-9]*/cwd/../outside/secret"),
    attempt(
        "a user namespace of its own",
        "unshare -Urm sh -c 'umount -l {home}; umount -l {state}; cat {home}/.netrc {state}/note {outside}/secret'",
    ),
    attempt("a mount over nothing", "mkdir m; mount --bind {outside} m && cat m/secret"),
    attempt(
        "a hidden directory unmounted",
        "umount -l {home}; umount -l {state}; cat {state}/note",
    ),
    attempt("the namespace of init", "nsenter -t 1 -m cat {outside}/secret"),
    attempt("another root", "chroot /proc/1/root cat {outside}/secret"),
    attempt("passwords of the system", "cat /etc/shadow /etc/gshadow | grep -q : && echo GOT OUT"),
    attempt(
        "keys of the system",
        "cat /etc/ssh/ssh_host_*_key /etc/ssl/private/* | grep -q PRIVATE && echo GOT OUT",
    ),
    // What a toolchain is in has a place, with nothing else in it.
    attempt(
        "the homes of others",
        "find /root /home -type f -size +0 2>/dev/null | grep -vE '/(\\.rustup|\\.cargo|\\.pyenv|\\.nvm|\\.local/(bin|lib|share/(uv|pipx|mise)))/' | grep -vF {root} | grep . && echo GOT OUT",
    ),
    Attempt {
        before: |den| {
            let path = "/tmp/kitbag-den-secret";
            std::fs::write(path, super::SECRET).unwrap();
            den.word("tmp", path);
        },
        after: |_| {
            let _ = std::fs::remove_file("/tmp/kitbag-den-secret");
            None
        },
        ..attempt("the person's /tmp", "cat {tmp}")
    },
    attempt("logs of the system", "cat /var/log/* 2>/dev/null | grep -q . && echo GOT OUT"),
    attempt(
        "mail of the system",
        "ls -A /var/mail /var/spool/cron/crontabs 2>/dev/null | grep -q ^[a-z] && echo GOT OUT",
    ),
];

#[test]
fn nothing_outside_is_written() {
    none_gets_out(
        WRITES,
        &[
            (Landlock, "a mode", "Landlock has no right for modes and owners"),
            (Landlock, "/dev/shm", "programs need shared memory, and there is one for all"),
        ],
    );
}

#[test]
fn nothing_of_the_persons_is_read() {
    none_gets_out(READS, &[]);
}
