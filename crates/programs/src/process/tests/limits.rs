//! What a program takes of the machine.

use super::*;

fn groups(control: &str) -> bool {
    let found = control.contains("/kitbag-");
    if !found {
        println!("SKIPPED: no control group is ours to divide here");
    }
    found
}

#[test]
fn a_program_is_killed_before_the_server_where_memory_runs_out() {
    for place in places() {
        let done = place.run("cat /proc/self/oom_score_adj");
        assert_eq!(text(&done), "500\n", "{}", place.kind);
    }
    let own = std::fs::read_to_string("/proc/self/oom_score_adj").unwrap();
    assert_ne!(own, "500\n", "the server is as it was");
}

#[test]
fn all_processes_of_a_program_together_are_bounded() {
    let limits = Limits { program_tasks: 12, ..Limits::default() };
    let place = Place::new("the best", Sandbox::Auto, limits);
    if !groups(&text(&place.run("cat /proc/self/cgroup"))) {
        return;
    }
    let forks = "import os, time
made = 0
try:
    for _ in range(40):
        if os.fork() == 0:
            time.sleep(30)
        made += 1
except OSError as e:
    print(e.errno)
print(made)";
    let done = place.run(&format!("exec python3 -c '{forks}'"));
    let printed = text(&done);
    let made: u32 = printed.lines().last().unwrap().parse().unwrap();
    assert!(printed.starts_with("11\n") && made < 12, "{printed} {}", errors(&done));
    let again = place.run("echo a new group");
    assert_eq!(text(&again), "a new group\n");
}

#[test]
fn control_groups_go_with_their_programs_and_with_servers_that_died() {
    let place = Place::plain();
    let control = text(&place.run("cat /proc/self/cgroup"));
    if !groups(&control) {
        return;
    }
    let line = control.lines().find(|line| line.contains(":pids:")).unwrap_or_default();
    let Some((_, group)) = line.rsplit_once(':') else {
        return println!("SKIPPED: the groups are not of version 1");
    };
    let group = Path::new("/sys/fs/cgroup/pids").join(group.trim_start_matches('/'));
    drop(place.runner.take_ended());
    assert!(!group.exists(), "{}", group.display());
    // More than any process id can be.
    let abandoned = group.parent().unwrap().join("kitbag-999999999-0-0");
    std::fs::create_dir(&abandoned).unwrap();
    drop(Place::plain().run("true"));
    assert!(!abandoned.exists());
}

#[test]
fn of_two_values_of_a_variable_the_calls_own_counts() {
    for place in places() {
        let args = ["HOME".to_owned()];
        let line = Line::Direct { name: "printenv", args: &args };
        let env = [("HOME".to_owned(), "/of/the/call".to_owned())];
        let timeout = Duration::from_secs(20);
        let program = Program { line, dir: ".", env: &env, timeout, reach: Reach::Workspace };
        let done = place.runner.run(&place.workspace, &program, None, &Cancel::default()).unwrap();
        assert_eq!(text(&done), "/of/the/call\n", "{}", place.kind);
    }
}
