//! Other processes, their sockets, terminals and memory.

use std::io::Write as _;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::process::Command;

use super::Sandbox::{Landlock, Online};
use super::{Attempt, Den, SECRET, attempt, none_gets_out};

/// Tells whoever connects a secret.
fn talks(listener: UnixListener) {
    std::thread::spawn(move || {
        for mut caller in listener.incoming().flatten() {
            let _ = writeln!(caller, "{SECRET}socket");
        }
    });
}

fn socket(den: &mut Den, path: std::path::PathBuf) {
    let _ = std::fs::remove_file(&path);
    talks(UnixListener::bind(&path).unwrap());
    den.word("socket", path.display());
}

/// Connects and prints what comes.
const CONNECT: &str = "perl -MSocket -e 'socket(S,AF_UNIX,SOCK_STREAM,0); \
    connect(S,pack_sockaddr_un(\"{socket}\")) or exit; print <S>'";

const SOCKETS: &[Attempt] = &[
    Attempt {
        before: |den| socket(den, den.dir().join("home/agent")),
        ..attempt("a socket in the home directory", CONNECT)
    },
    Attempt {
        before: |den| socket(den, den.outside().join("agent")),
        ..attempt("a socket elsewhere", CONNECT)
    },
    Attempt {
        before: |den| socket(den, "/tmp/kitbag-den-socket".into()),
        after: |_| {
            let _ = std::fs::remove_file("/tmp/kitbag-den-socket");
            None
        },
        ..attempt("a socket in /tmp", CONNECT)
    },
    Attempt {
        before: |den| socket(den, den.dir().join("root/agent")),
        ..attempt("a socket in the root", CONNECT)
    },
    Attempt {
        before: |den| {
            let name = format!("kitbag-den-{}", den.dir().display());
            let address = SocketAddr::from_abstract_name(&name).unwrap();
            talks(UnixListener::bind_addr(&address).unwrap());
            den.word("socket", format!("\\0{name}"));
        },
        ..attempt("an abstract socket", CONNECT)
    },
    Attempt {
        before: |den| {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            den.word("port", listener.local_addr().unwrap().port());
            std::thread::spawn(move || {
                for mut caller in listener.incoming().flatten() {
                    let _ = writeln!(caller, "{SECRET}port");
                }
            });
        },
        ..attempt("a server of the person's", "exec 3<>/dev/tcp/127.0.0.1/{port} && cat <&3")
    },
    attempt(
        "sockets of the system",
        "find /run/ /var/run/ /var/lib /tmp -xdev -maxdepth 4 -type s 2>/dev/null | grep -q . && echo GOT OUT",
    ),
    attempt("names of abstract sockets", "grep -q @ /proc/net/unix && echo GOT OUT"),
    Attempt {
        before: |den| {
            let got = den.outside().join("typed").display().to_string();
            // A terminal whose other side writes down what it gets.
            let name = den.perl(&format!(
                "$|=1; open(M,'+<','/dev/ptmx'); $z=pack('i',0); ioctl(M,0x40045431,$z); \
                 $n=pack('i',0); ioctl(M,0x80045430,$n); $p='/dev/pts/'.unpack('i',$n); \
                 open(S,'+<',$p); print \"$p\\n\"; sysread(M,$b,99); open(O,'>','{got}'); print O $b"
            ));
            den.word("pty", name);
        },
        after: |_| {
            std::thread::sleep(std::time::Duration::from_millis(100));
            None
        },
        ..attempt(
            "a terminal of the person's",
            "echo typed > {pty}; for t in /dev/pts/[0-9]*; do echo typed > $t; done; echo x > /dev/tty",
        )
    },
];

const PROCESSES: &[Attempt] = &[
    attempt(
        "the environment of the server",
        "cat /proc/$PPID/environ /proc/[0-9]*/environ | tr '\\0' '\\n'",
    ),
    attempt("its own environment", "env; export -p; cat /proc/self/environ | tr '\\0' '\\n'"),
    Attempt {
        before: |den| {
            den.start(Command::new("sh").args(["-c", "sleep 60; :", &format!("{SECRET}argument")]));
        },
        ..attempt("the arguments of others", "cat /proc/[0-9]*/cmdline | tr '\\0' '\\n'; ps axww")
    },
    Attempt {
        before: |den| {
            let script =
                format!("exec 9<{}; exec sleep 60", den.outside().join("secret").display());
            let pid = den.start(Command::new("sh").args(["-c", &script]));
            den.word("pid", pid);
        },
        ..attempt("open files of others", "cat /proc/{pid}/fd/9 /proc/[0-9]*/fd/9")
    },
    Attempt {
        before: |den| {
            let pid = den.start(Command::new("sleep").arg("60"));
            den.word("pid", pid);
        },
        after: |den| {
            let alive = den.person("kill -0 {pid}");
            (alive.code != Some(0)).then(|| "a process of the person's was killed".to_owned())
        },
        ..attempt("signals", "kill -9 {pid}; true")
    },
    Attempt {
        before: |den| {
            let pid = den.start(Command::new("sleep").arg("60"));
            den.word("pid", pid);
        },
        ..attempt("tracing another", "perl -e 'syscall(101,16,{pid},0,0)==0 and print \"GOT OUT\"'")
    },
    attempt(
        "tracing the server",
        "perl -e 'for (grep {$_ != $$} map {m:(\\d+):} glob \"/proc/[0-9]*\") {open F,\"/proc/$_/exe\"; readlink(\"/proc/$_/exe\") =~ /kitbag$/ and syscall(101,16,$_+0,0,0)==0 and print \"GOT OUT\"}'",
    ),
    attempt(
        "the memory of the server",
        "for p in /proc/[0-9]*; do readlink $p/exe | grep -q kitbag$ && head -c0 $p/mem && : > $p/mem && echo GOT OUT; done; true",
    ),
    attempt(
        "inherited descriptors",
        "for n in $(seq 3 254) $(seq 256 1100); do [ -e /proc/$$/fd/$n ] && echo GOT OUT $n; done; true",
    ),
    attempt(
        "processes of others",
        "for p in /proc/[0-9]*; do readlink $p/exe | grep -qE 'cargo|nextest|sshd|systemd' && echo GOT OUT $p; done; true",
    ),
    Attempt {
        after: |den| {
            std::thread::sleep(std::time::Duration::from_millis(900));
            den.place.has("late").then(|| "a process outlived its call".to_owned())
        },
        ..attempt(
            "outliving the call",
            "(setsid nohup sh -c '(sleep 0.5; echo x > late) &' >/dev/null 2>&1 &) ; true",
        )
    },
    attempt(
        "work for later",
        "for c in 'at now' batch; do echo true | $c 2>/dev/null && echo GOT OUT; done; systemd-run --user true 2>/dev/null && echo GOT OUT; true",
    ),
    attempt(
        "another user",
        "sudo -n true 2>/dev/null && echo GOT OUT; pkexec true 2>/dev/null && echo GOT OUT; true",
    ),
];

/// The right is younger than the kernels that most have.
const SOCKET_BY_PATH: &str = "Landlock lets connect to sockets before its version 9";

#[test]
fn no_socket_and_no_terminal_of_others_answers() {
    none_gets_out(
        SOCKETS,
        &[
            (Landlock, "a socket in the home directory", SOCKET_BY_PATH),
            (Landlock, "a socket elsewhere", SOCKET_BY_PATH),
            (Landlock, "a socket in /tmp", SOCKET_BY_PATH),
            (Landlock, "a socket in the root", SOCKET_BY_PATH),
            (Online, "a server of the person's", "it is on the network of the host"),
            (Online, "names of abstract sockets", "they are those of the network"),
            (Landlock, "a server of the person's", "only a namespace parts the network"),
            (Landlock, "names of abstract sockets", "/proc is that of all"),
        ],
    );
}

#[test]
fn no_other_process_is_reached() {
    none_gets_out(PROCESSES, &[(Landlock, "the arguments of others", "/proc is that of all")]);
}
