//! What decides which programs a command line of a project runs.

use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;

use files::workspace::Workspace;

use super::Project;

/// Largest file that counts by its content, in bytes; a larger one counts by the time of its last
/// change, which nobody can set.
const LOOKED_AT: u64 = 4 << 20;

impl Project {
    /// A digest of what is behind `line`, run in the directory `dir`: the project's manifests,
    /// lock files and settings, and every file that the line itself names. While it stays the same,
    /// the line runs the same programs. Sources that those programs read in turn are not part of
    /// it.
    pub fn definition(&self, workspace: &Workspace, dir: &str, line: &str) -> String {
        let words = line.split(|c: char| c.is_whitespace() || "'\"`;|&<>(){}=".contains(c));
        let words = words.filter(|word| !word.is_empty());
        let mut names: Vec<&str> =
            self.config_files.iter().map(String::as_str).chain(words).collect();
        names.sort_unstable();
        names.dedup();
        let mut hasher = blake3::Hasher::new();
        for name in names {
            let path =
                if name.starts_with('/') { name.to_owned() } else { format!("{dir}/{name}") };
            let Ok(opened) = workspace.open_file(&path) else { continue };
            let Ok(meta) = opened.file.metadata() else { continue };
            let mut bytes = Vec::new();
            let small = meta.len() <= LOOKED_AT;
            let read = small && opened.file.take(LOOKED_AT).read_to_end(&mut bytes).is_ok();
            let changed = if read { (0, 0) } else { (meta.ctime(), meta.ctime_nsec()) };
            hasher.update(format!("{name}\0{}\0{changed:?}\0", meta.len()).as_bytes());
            hasher.update(&bytes);
        }
        hasher.finalize().to_hex().to_string()
    }
}
