//! Failures of programs that were never started.

use super::{Code, Error, Way};

impl Error {
    /// No program of this name; `looked` says where it was looked for.
    pub fn command_not_found(name: &str, looked: &str) -> Self {
        Self::new(
            Code::CommandNotFound,
            format!(
                "{name}: no such program in {looked}; install it, or give the path of the program"
            ),
        )
        .with("command", name)
    }

    /// The operating system did not start a program that is there.
    pub fn not_started(name: &str, error: &std::io::Error) -> Self {
        use std::io::ErrorKind as K;
        match error.kind() {
            K::ArgumentListTooLong => Self::invalid_input(
                "command",
                "longer than a program can be given (128 KiB for one argument); make it shorter, or put it into a file",
            )
            .with("reason", "too long"),
            K::InvalidInput => Self::invalid_input(
                "command",
                "contains a NUL character, which cannot be passed to a program",
            ),
            K::NotFound => Self::command_not_found(name, "the file system"),
            K::PermissionDenied => Self::new(
                Code::PermissionDenied,
                format!(
                    "{name}: the operating system refuses to run it; check that it is executable"
                ),
            )
            .with("command", name),
            _ => Self::new(
                Code::Io,
                format!(
                    "{name}: could not be started: {error}; `kitbag doctor` says what works here"
                ),
            )
            .with("command", name),
        }
    }

    /// A program that the host has, outside of what the sandbox shows.
    pub fn not_in_view(name: &str, path: &str) -> Self {
        Self::with_ways(
            Code::CommandNotFound,
            format!("{name}: at {path}, outside of what programs see"),
            vec![Way::setting("--expose", "DIR:ro")],
        )
        .with("command", name)
    }

    /// A rehearsal of what could not be dropped afterwards.
    pub fn cannot_rehearse(name: &str, why: &str) -> Self {
        let error = Self::advised(
            Code::InvalidInput,
            format!("{name}: cannot be rehearsed: {why}"),
            "`kitbag doctor` says what works here",
        );
        Self { no_rehearsal: true, ..error }.with("field", "--rehearse")
    }

    /// A program of Kitbag's own met with somebody else's change.
    pub fn changed_meanwhile(path: &str) -> Self {
        Self::new(
            Code::RepositoryBusy,
            format!("{path}: somebody else changed it meanwhile; nothing was changed, try again"),
        )
        .with("path", path)
    }

    /// What a person allowed met with somebody else's change.
    pub fn changed_while_asked(path: &str) -> Self {
        Self::new(
            Code::FileBusy,
            format!(
                "{path}: somebody else changed it while the question waited; nothing was changed, \
                 repeat the call"
            ),
        )
        .with("path", path)
    }

    /// The sandbox around a program could not be made, so the program was not started.
    pub fn sandbox_failed(why: &str) -> Self {
        Self::new(
            Code::Io,
            format!(
                "the sandbox could not be set up, so nothing was run: {why}; `kitbag doctor` says what works here"
            ),
        )
    }

    /// What must be kept from programs is in a root, where Landlock alone cannot hide it.
    pub fn cannot_hide(path: &str) -> Self {
        Self::new(
            Code::PermissionDenied,
            format!(
                "{path}: programs would see it, since Landlock alone hides nothing in a root, so \
                 nothing was run; choose a root that does not hold it, or start with --sandbox off \
                 to let programs do what you can"
            ),
        )
        .with("path", path)
    }

    /// Somebody listens on a port that is wanted.
    pub fn port_in_use(port: u16) -> Self {
        Self::new(
            Code::PortInUse,
            format!("port {port}: already in use; stop that program or choose another port"),
        )
        .with("port", port)
    }

    /// A program of this name runs in the background.
    pub fn background_taken(name: &str) -> Self {
        Self::invalid_input(
            "name",
            format!("{name}: a program of this name runs in the background; stop it first"),
        )
    }

    /// As many programs run in the background as may.
    pub fn too_many_in_background(most: usize) -> Self {
        Self::invalid_input(
            "command",
            format!(
                "{most} programs already run in the background, which is the limit; stop one of them"
            ),
        )
    }

    /// No program of this number, or what it printed is no longer kept; `known` are those there are.
    pub fn output_gone(id: u32, was: bool, known: &str) -> Self {
        let known = if known.is_empty() { "none yet" } else { known };
        let problem = match was {
            true => format!(
                "{id}: its output is no longer kept; run the command again, or ask for one of {known}"
            ),
            false => format!("{id}: no program of this id; there are {known}"),
        };
        Self::invalid_input("id", problem)
    }

    /// The program has ended and is asked for what only one that runs can do.
    pub fn not_running(id: u32) -> Self {
        Self::invalid_input("id", format!("{id}: it has ended; start it again with `command`"))
    }

    /// The program reads no more input.
    pub fn input_closed() -> Self {
        Self::invalid_input("input", "the program has ended, or closed its input; start it again")
    }

    /// The program did not read what it was given in time.
    pub fn input_full(written: usize, bytes: usize) -> Self {
        let problem = format!(
            "only {written} of {bytes} bytes were written: the program does not read; look at what \
             it printed"
        );
        Self::invalid_input("input", problem)
    }

    /// No program of this name was started in the background; `names` are those that were.
    pub fn not_in_background(name: &str, names: &[&str]) -> Self {
        let advice = if names.is_empty() {
            "none is running".to_owned()
        } else {
            format!("there are {}", names.join(", "))
        };
        Self::invalid_input(
            "name",
            format!("{name}: no program of this name in the background; {advice}"),
        )
    }
}
