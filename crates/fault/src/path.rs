//! Failures of a path: where it leads, what is there or does not.

use super::{Code, Error, Way};

impl Error {
    /// The path leaves every root; `roots` are the directories that may be touched.
    pub fn path_outside(path: &str, roots: &[String]) -> Self {
        Self::with_ways(
            Code::PathOutsideWorkspace,
            format!("{path}: outside the workspace ({})", roots.join(", ")),
            vec![Way::Caller("use a path inside it".to_owned()), Way::setting("--allow", "DIR")],
        )
        .with("path", path)
        .with("roots", roots.join(", "))
    }

    /// Links that lead back to themselves, or into /proc, are never followed.
    pub fn links_in_circle(path: &str, roots: &[String]) -> Self {
        Self::new(
            Code::PathOutsideWorkspace,
            format!(
                "{path}: too many levels of symbolic links, or a link into /proc; name the file itself"
            ),
        )
        .with("path", path)
        .with("roots", roots.join(", "))
    }

    /// A link whose target is not there.
    pub fn link_to_nothing(path: &str) -> Self {
        Self::new(Code::FileNotFound, format!("{path}: a dangling symbolic link; check its target"))
            .with("path", path)
    }

    /// A directory that a call wrote to is now a link or another directory of the same name.
    pub fn root_replaced(path: &str) -> Self {
        Self::new(
            Code::PathOutsideWorkspace,
            format!(
                "{path}: replaced by a link or another directory since the call; nothing was \
                 touched, put the directory back in its place and repeat"
            ),
        )
        .with("path", path)
    }

    /// The path may be read but not written.
    pub fn read_only_root(path: &str) -> Self {
        Self::with_ways(
            Code::PermissionDenied,
            format!("{path}: in a read-only root"),
            vec![Way::setting("--allow", "DIR")],
        )
        .with("path", path)
    }

    /// The file itself may not be written.
    pub fn read_only_file(path: &str) -> Self {
        Self::new(
            Code::PermissionDenied,
            format!("{path}: a read-only file; `chmod u+w` it to change it"),
        )
        .with("path", path)
    }

    /// A change of this path needs a person.
    pub fn protected_path(path: &str, why: &str) -> Self {
        Self::with_ways(
            Code::ProtectedPath,
            format!("{path}: {why}, so a person must allow the change"),
            vec![Way::Asking, Way::setting("--allow-protected", path)],
        )
        .with("path", path)
    }

    /// Nothing at a path where a file is needed; `near` are names like it.
    pub fn file_not_found(path: &str, near: &[String]) -> Self {
        let advice = if near.is_empty() {
            "list the directory to see what is there".to_owned()
        } else {
            format!("did you mean {}?", near.join(" or "))
        };
        Self::new(Code::FileNotFound, format!("{path}: no such file; {advice}"))
            .with("path", path)
            .with_near(near)
    }

    /// Nothing at a path where a directory is needed.
    pub fn directory_not_found(path: &str) -> Self {
        Self::new(
            Code::DirectoryNotFound,
            format!("{path}: no such directory; list the directory above it to see what is there"),
        )
        .with("path", path)
    }

    /// The directory for a new file is missing.
    pub fn parent_not_found(path: &str) -> Self {
        Self::new(
            Code::ParentDirectoryNotFound,
            format!("{path}: the parent directory does not exist; create it first"),
        )
        .with("path", path)
    }

    /// A directory where a file is needed.
    pub fn is_directory(path: &str) -> Self {
        Self::new(
            Code::IsDirectory,
            format!("{path}: a directory, not a file; list it, or name a file in it"),
        )
        .with("path", path)
    }

    /// A file where a directory is needed.
    pub fn not_a_directory(path: &str) -> Self {
        Self::new(
            Code::NotADirectory,
            format!("{path}: not a directory; read it, or name the directory it is in"),
        )
        .with("path", path)
    }

    /// A device, pipe or socket.
    pub fn not_a_file(path: &str, kind: &str) -> Self {
        Self::new(
            Code::NotAFile,
            format!("{path}: {kind}, not a regular file; Kitbag does not open those"),
        )
        .with("path", path)
    }

    /// A directory on the way to a file that the journal remembers is a link now.
    pub fn became_link(path: &str) -> Self {
        Self::new(
            Code::FileChanged,
            format!(
                "{path}: a directory in this path was replaced by a link, which is not followed; \
                 put the directory back in its place and repeat"
            ),
        )
        .with("path", path)
    }

    /// Something is where a new thing should be made.
    pub fn file_exists(path: &str) -> Self {
        Self::new(
            Code::FileExists,
            format!("{path}: already exists; choose another name or remove it first"),
        )
        .with("path", path)
    }

    /// No text in the file.
    pub fn binary_file(path: &str, bytes: u64) -> Self {
        Self::new(
            Code::BinaryFile,
            format!("{path}: a binary file of {bytes} bytes; use a program such as `file` or `xxd` to look into it"),
        )
        .with("path", path)
        .with("bytes", bytes)
    }

    /// A PDF from which no text can be taken.
    pub fn pdf_without_text(path: &str, why: &str) -> Self {
        let why = super::cut(why, 200);
        let advice = "`pdftotext` or `pdftoppm` in a shell may read it";
        Self::new(Code::BinaryFile, format!("{path}: a PDF without text for you: {why}; {advice}"))
            .with("path", path)
    }

    /// What follows the path of a file is not a range of lines, perhaps `meant` as one.
    pub fn not_a_range(path: &str, lines: &str, meant: Option<&str>) -> Self {
        let problem = format!("`{}` is not a range of lines such as 10-20", super::cut(lines, 40));
        Self::invalid_input("path", format!("{problem}; several places go into `paths`"))
            .with("path", format!("{path}:{lines}"))
            .with("near", meant.map_or(path.to_owned(), |meant| format!("{path}:{meant}")))
    }

    /// An edit of the text of a PDF, which is not the file's own.
    pub fn text_of_pdf(path: &str) -> Self {
        let problem = "text in a PDF cannot be edited; make the file anew with a program";
        Self::new(Code::BinaryFile, format!("{path}: {problem}")).with("path", path)
    }

    /// Lines, counted from 1, that are named by their numbers alone and were not read, or moved since;
    /// `now` is what they are, each with its number, if that is not too much.
    pub fn lines_unseen(
        path: &str,
        lines: &[(usize, usize)],
        was_read: bool,
        now: Option<&str>,
    ) -> Self {
        let ranges: Vec<String> = lines.iter().map(|(a, b)| super::range(*a, *b)).collect();
        let is_one = matches!(lines, [(a, b)] if a == b);
        let what = format!("{} {}", if is_one { "line" } else { "lines" }, ranges.join(", "));
        let (code, problem) = match was_read {
            true => (
                Code::FileChanged,
                format!("{what}: these or lines above changed since you read them"),
            ),
            false => (Code::InvalidLineRange, format!("{what}: not read yet")),
        };
        let error = match now {
            Some(now) => {
                let advice = "repeat it in this session to change these, or give `old` too";
                Self::new(code, format!("{path}: {problem}; now\n{now}\n{advice}"))
                    .with("shown", &what)
            }
            None => Self::new(code, format!("{path}: {problem}; read them first, or give `old`")),
        };
        let range = ranges.first().map_or("", String::as_str);
        error.with("path", path).with("range", range)
    }

    /// Lines, counted from 1, that do not have the text which they are said to have.
    pub fn other_lines(path: &str, (first, last): (usize, usize), now: &str) -> Self {
        let (lines, are) =
            (super::lines(first, last), if first == last { "it is" } else { "they are" });
        let problem = format!("`old` is not in {lines}; {are} now");
        let text = format!("{path}: {problem}:\n{}", super::cut(now, 1000));
        Self::new(Code::StringNotFound, text).with("path", path)
    }

    /// A range that begins after the last line; lines count from 1.
    pub fn past_the_end(path: &str, first: usize, total: usize) -> Self {
        if total == 0 {
            let text =
                format!("{path}: line {first} is past the end, it is empty; give `new` alone");
            return Self::new(Code::InvalidLineRange, text).with("path", path).with("shown", "");
        }
        let near = total.saturating_sub(40).max(1);
        let lines = super::count(total, "line");
        let problem = format!("line {first} is past the end, it has {lines}; read its end");
        Self::new(Code::InvalidLineRange, format!("{path}: {problem}"))
            .with("path", path)
            .with("range", format!("{near}-"))
    }

    /// More bytes than the operation takes.
    pub fn file_too_large(path: &str, bytes: u64, limit: u64, advice: &str) -> Self {
        Self::new(
            Code::FileTooLarge,
            format!("{path}: {bytes} bytes, over the limit of {limit}; {advice}"),
        )
        .with("path", path)
        .with("bytes", bytes)
        .with("limit", limit)
    }

    /// More than one call copies, so that undo stays cheap.
    pub fn too_much_to_copy(path: &str, entries: usize, bytes: u64) -> Self {
        Self::new(
            Code::FileTooLarge,
            format!("{path}: more than {entries} files or {bytes} bytes; nothing was copied, copy it with a program such as cp"),
        )
        .with("path", path)
    }

    /// Somebody else changed the file.
    pub fn file_changed(path: &str) -> Self {
        Self::new(
            Code::FileChanged,
            format!("{path}: changed by somebody else since it was read; read it again, then repeat the change"),
        )
        .with("path", path)
    }

    /// The lock of the file was not to be had in time.
    pub fn file_busy(path: &str) -> Self {
        Self::new(
            Code::FileBusy,
            format!("{path}: another process is changing it; try again in a moment"),
        )
        .with("path", path)
    }
}
