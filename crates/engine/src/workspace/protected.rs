//! Paths that programs obey by themselves.
//!
//! Whoever writes one of these files decides what runs the next time a person opens the folder or
//! types `git`. So a person is asked, whatever the policy.

use std::path::Path;

/// Folders of which every file is protected.
const FOLDERS: &[&str] = &[
    ".git",
    ".kitbag",
    ".vscode",
    ".idea",
    ".cursor",
    ".claude",
    ".codex",
    ".gemini",
    ".zed",
    ".devcontainer",
    ".husky",
    ".continue",
    ".qwen",
    ".opencode",
];

/// Files that are protected in any folder.
const FILES: &[&str] = &[
    ".mcp.json",
    ".envrc",
    ".gitmodules",
    ".gitconfig",
    ".ripgreprc",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    "kitbag.toml",
    "opencode.json",
];

/// Why a path (relative to its root) is protected, or `None` if it is not. Case is ignored, for
/// file systems that do so too.
pub fn protected(relative: &Path) -> Option<&'static str> {
    let mut parts = relative.components().peekable();
    while let Some(part) = parts.next() {
        let name = part.as_os_str().to_string_lossy().to_lowercase();
        if FOLDERS.contains(&name.as_str()) {
            return Some(match name.as_str() {
                ".git" => "git obeys what stands in .git",
                ".kitbag" => "it is Kitbag's own configuration",
                _ => "editors and agents obey this folder by themselves",
            });
        }
        if parts.peek().is_none() && FILES.contains(&name.as_str()) {
            return Some("programs obey this file by themselves");
        }
    }
    None
}
