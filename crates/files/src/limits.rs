//! Every bound of the program, with its default and the reason for it.

use std::time::Duration;

/// What one call may take. A result that reaches a bound says so.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Largest file that is read whole, in bytes: reading, editing and searching hold it in memory.
    pub file_bytes: u64,
    /// Most lines of a text result; fiz and the hosts it was made for use the same figure.
    pub result_lines: usize,
    /// Most bytes of a text result; hosts cut at 8,000 to 60,000 bytes by themselves.
    pub result_bytes: usize,
    /// Most bytes of any result whatever, for tools whose document has no way to ask for a part.
    pub body_bytes: usize,
    /// Longest line shown of a search hit, in bytes; the rest is cut and the cut is marked.
    pub hit_line_bytes: usize,
    /// Most bytes of one output stream of a program that are kept in memory, half head, half tail.
    pub output_bytes: usize,
    /// Most bytes of one output stream that go to the spill file; a program that prints for ever
    /// must not fill the disk.
    pub spill_bytes: u64,
    /// How long a program may run when the call does not say.
    pub program_time: Duration,
    /// The longest time a call may ask for.
    pub program_time_max: Duration,
    /// How long it may take to find out what a program changed, if its own time is nearly over.
    pub bring_in_grace: Duration,
    /// Most processes and threads of one program, where it has a control group; a build with many
    /// jobs takes some hundreds.
    pub program_tasks: u64,
    /// Most memory of one program, in percent of the machine's, where it has a control group; the
    /// rest is for the server and the person.
    pub program_memory_percent: u64,
    /// How long git may take to commit, to switch, to push: it runs hooks, which run tests.
    pub hook_time: Duration,
    /// Most bytes that are read of what git prints; more is said to be left out.
    pub git_bytes: usize,
    /// How long it may take to find out what a change broke; some milliseconds do for an ordinary
    /// project, and a longer wait would be felt with every edit.
    pub verdict_time: Duration,
    /// How long programs get between the request to end and the kill.
    pub kill_grace: Duration,
    /// Most programs of a session that run in the background.
    pub background: usize,
    /// How long a call waits for another process that holds the lock of a file.
    pub lock_wait: Duration,
    /// Most files that the journal looks at around a program.
    pub snapshot_files: usize,
    /// Most paths that are noted of what a program without a layer touches; with more nobody can tell
    /// whose work its changes are. One takes some 400 bytes.
    pub touched_paths: usize,
    /// Most directories that the journal has watched so as not to look at all files around each
    /// program; 0 for none. The kernel keeps about 1 KiB for each.
    pub watched_directories: usize,
    /// Largest single file that the journal keeps around a program, in bytes.
    pub snapshot_file_bytes: u64,
    /// Most bytes that the journal copies before one program.
    pub snapshot_bytes: u64,
    /// Largest thing that is copied to be kept for undo when it cannot be moved, in bytes.
    pub trash_bytes: u64,
    /// Days that the journal remembers.
    pub journal_days: u64,
    /// Most steps that the journal remembers, of all roots.
    pub journal_steps: usize,
    /// Most bytes that the journal keeps for undo, of all roots; the newest step is kept whatever
    /// its size.
    pub journal_bytes: u64,
    /// Most files of the search index; each is looked at before every search, which takes some
    /// microseconds a file.
    pub index_files: usize,
    /// Most bytes of sources in the search index, which takes up to three times as much memory.
    pub index_bytes: u64,
    /// Largest file in the search index, in bytes; larger ones are data or made by programs.
    pub index_file_bytes: u64,
    /// Fewest files of a root that are worth an index of words: fewer are all searched in the time
    /// that reading the index would take.
    pub words_root_files: usize,
    /// Files that changed since the index of words was written, from which on they are added to it;
    /// until then each search looks into them.
    pub words_changed_files: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 64 << 20,
            result_lines: 2000,
            result_bytes: 51_200,
            body_bytes: 256 << 10,
            hit_line_bytes: 500,
            output_bytes: 1 << 20,
            spill_bytes: 256 << 20,
            program_time: Duration::from_secs(120),
            program_time_max: Duration::from_secs(3600),
            bring_in_grace: Duration::from_secs(10),
            program_tasks: 4096,
            program_memory_percent: 80,
            hook_time: Duration::from_secs(600),
            git_bytes: 8 << 20,
            verdict_time: Duration::from_secs(1),
            kill_grace: Duration::from_millis(500),
            background: 16,
            lock_wait: Duration::from_secs(10),
            snapshot_files: 500_000,
            touched_paths: 50_000,
            watched_directories: 100_000,
            snapshot_file_bytes: 16 << 20,
            snapshot_bytes: 512 << 20,
            trash_bytes: 1 << 30,
            journal_days: 30,
            journal_steps: 20_000,
            journal_bytes: 8 << 30,
            index_files: 50_000,
            index_bytes: 64 << 20,
            index_file_bytes: 1 << 20,
            words_root_files: 1000,
            words_changed_files: 200,
        }
    }
}
