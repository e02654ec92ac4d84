//! What the person's git would obey: a program writes it, then the person uses git.

use super::{Attempt, Den, Sandbox, none_gets_out};

/// A repository with a worktree and a submodule, as a person has them.
fn repository(den: &mut Den) {
    let script = "set -e; export GIT_AUTHOR_NAME=p GIT_AUTHOR_EMAIL=p@x GIT_COMMITTER_NAME=p GIT_COMMITTER_EMAIL=p@x
        git init -q; git add -A; git commit -qm first; git config extensions.worktreeConfig true
        git worktree add -q {outside}/tree; git init -q --bare .git/modules/part
        printf '#!/bin/sh\\necho ran >> {outside}/ran\\n' > {outside}/evil; chmod 755 {outside}/evil";
    let ran = den.person(script);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

/// What a person does afterwards; whatever runs then leaves a trace outside.
fn uses_git(den: &Den) -> Option<String> {
    let id = "-c user.name=p -c user.email=p@x";
    for command in ["status", "diff", "commit -q --allow-empty -m more", "log -1", "gc --auto"] {
        den.person(&format!("git {id} {command}"));
        den.person(&format!("cd {{outside}}/tree && git {id} {command}"));
    }
    den.person("git --git-dir=.git/modules/part --work-tree=. status");
    // The person's own commits change git's files, not these.
    den.outside().join("ran").exists().then(|| "the person's git ran what the program left".into())
}

const fn planted(name: &'static str, script: &'static str) -> Attempt {
    Attempt { name, script, before: repository, after: uses_git }
}

const EVIL: &str = "{outside}/evil";

const ATTEMPTS: &[Attempt] = &[
    planted(
        "config",
        "git config core.fsmonitor {outside}/evil; printf '[core]\\nfsmonitor = {outside}/evil\\n' >> .git/config",
    ),
    planted(
        "config by rename",
        "cp .git/config c; printf '[core]\\nfsmonitor = {outside}/evil\\n' >> c; mv c .git/config",
    ),
    planted(
        "config of the worktree",
        "printf '[core]\\nfsmonitor = {outside}/evil\\n' > .git/config.worktree",
    ),
    planted(
        "config of another worktree",
        "printf '[core]\\nfsmonitor = {outside}/evil\\n' > .git/worktrees/tree/config.worktree",
    ),
    planted(
        "config of a submodule",
        "printf '[core]\\nfsmonitor = {outside}/evil\\nbare = false\\n' > .git/modules/part/config",
    ),
    planted(
        "a new hook",
        "for h in pre-commit post-commit post-index-change reference-transaction; do printf '#!/bin/sh\\n{outside}/evil\\n' > .git/hooks/$h; chmod 755 .git/hooks/$h; done",
    ),
    planted(
        "all hooks",
        "mv .git/hooks .git/h; mkdir .git/hooks; cp .git/h/* .git/hooks; printf '#!/bin/sh\\n{outside}/evil\\n' > .git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit",
    ),
    planted(
        "hooks of a submodule",
        "mkdir -p .git/modules/part/hooks; printf '#!/bin/sh\\n{outside}/evil\\n' > .git/modules/part/hooks/post-index-change; chmod 755 .git/modules/part/hooks/*",
    ),
    planted(
        "commondir",
        "cp -r .git c; printf '[core]\\nfsmonitor = {outside}/evil\\n' >> c/config; echo ../c > .git/commondir",
    ),
    planted(
        "commondir of a worktree",
        "cp -r .git c; printf '[core]\\nfsmonitor = {outside}/evil\\n' >> c/config; echo {root}/c > .git/worktrees/tree/commondir",
    ),
    planted(
        "another repository in its place",
        "cp -r .git c; printf '[core]\\nfsmonitor = {outside}/evil\\n' >> c/config; mv .git old && mv c .git",
    ),
    planted(
        "a file in its place",
        "cp -r .git c; printf '[core]\\nfsmonitor = {outside}/evil\\n' >> c/config; mv .git old && echo 'gitdir: c' > .git",
    ),
    planted(
        "a link in its place",
        "cp -r .git c; printf '[core]\\nfsmonitor = {outside}/evil\\n' >> c/config; mv .git old && ln -s c .git",
    ),
    unchanged("attributes", "echo '* filter=evil' > .git/info/attributes"),
    unchanged(
        "alternates",
        "mkdir -p .git/objects/info; echo {outside} > .git/objects/info/alternates",
    ),
    unchanged("grafts", "echo > .git/info/grafts"),
    // `git clone --depth`, `git sparse-checkout` and the person's own tools write these, and they
    // run nothing; undo takes them back.
    undone("what is ignored", "echo '*' >> .git/info/exclude"),
    undone("how deep the history is", "echo x > .git/shallow"),
    undone("the sparse checkout", "echo x > .git/info/sparse-checkout"),
    Attempt {
        before: |den| {
            repository(den);
            den.person("git config filter.own.clean 'sh {outside}/evil; cat'; git config diff.own.textconv {outside}/evil");
        },
        ..planted(
            "a filter that the person has",
            "echo '* filter=own diff=own' > .git/info/attributes; echo more >> kept",
        )
    },
];

/// What git obeys without running anything stays as it is.
const fn unchanged(name: &'static str, script: &'static str) -> Attempt {
    Attempt {
        name,
        script,
        before: |den| {
            repository(den);
            den.put("outside/info", &info(den));
        },
        after: changed,
    }
}

/// As is what a program may write, once the call is undone.
const fn undone(name: &'static str, script: &'static str) -> Attempt {
    Attempt {
        after: |den| {
            assert!(changed(den).is_some(), "a program writes this");
            den.place.run(&["undo"]);
            changed(den)
        },
        ..unchanged(name, script)
    }
}

fn changed(den: &Den) -> Option<String> {
    let before = std::fs::read_to_string(den.outside().join("info")).unwrap();
    let now = info(den);
    (now != before).then(|| format!("what git obeys was changed: {now:?}"))
}

fn info(den: &Den) -> String {
    let names = [
        "info/attributes",
        "info/exclude",
        "objects/info/alternates",
        "info/grafts",
        "shallow",
        "info/sparse-checkout",
    ];
    let read = |name: &&str| std::fs::read_to_string(den.place.path(&format!(".git/{name}")));
    names.iter().map(|name| format!("{name}: {:?}\n", read(name).ok())).collect()
}

#[test]
fn the_persons_git_obeys_no_program() {
    assert!(ATTEMPTS.iter().filter(|a| a.script.contains(EVIL)).count() > 8);
    // Landlock can except nothing in a directory that it lets a program write.
    let by_landlock: Vec<_> =
        ATTEMPTS.iter().map(|a| (Sandbox::Landlock, a.name, "the root is writable")).collect();
    none_gets_out(ATTEMPTS, &by_landlock);
}
