//! What to do about each failure, for the reference.

use toolkit::fault::Code;

/// What helps against a code, one or two sentences.
#[expect(clippy::too_many_lines, reason = "a table")]
pub(crate) fn remedy(code: Code) -> &'static str {
    match code {
        Code::InvalidInput => {
            "Give the parameter that the message names as the tool's page states it."
        }
        Code::UnknownTool => {
            "Take one of the names that the message offers; `kitbag tools` lists them."
        }
        Code::PathOutsideWorkspace => {
            "Use a path inside the root, or start Kitbag with `--allow DIR`."
        }
        Code::ProtectedPath => {
            "Let a person answer, or start Kitbag with `--allow-protected PATH`. See [policies](../guide/policies.md)."
        }
        Code::ApprovalRequired => {
            "Use a host that can ask its user, or a terminal, or another `--policy`. See [policies](../guide/policies.md)."
        }
        Code::NoAnswer => {
            "Decide with what is known and say what was assumed, or use a host that can ask."
        }
        Code::PermissionDenied => {
            "Do not repeat it. If the policy refused, start Kitbag with another one; if the system did, look at owner and mode of the file."
        }
        Code::FileNotFound | Code::DirectoryNotFound => {
            "Take the name that the message offers, or list the directory."
        }
        Code::ParentDirectoryNotFound => "Create the directory first.",
        Code::IsDirectory | Code::NotADirectory | Code::NotAFile => {
            "Name a path of the other kind; list the directory to see what is there."
        }
        Code::FileExists => {
            "Choose another name, or remove or overwrite what is there if that is meant."
        }
        Code::BinaryFile | Code::NotText => "Use a program that knows the format.",
        Code::FileTooLarge | Code::TooLarge => {
            "Read or change a part, such as by lines or by a search, or use a program."
        }
        Code::InvalidEncoding => {
            "Use characters that the file's encoding has, or convert the file first."
        }
        Code::StringNotFound => {
            "Read the lines again and copy the text exactly; the message shows the nearest place."
        }
        Code::MultipleMatches => "Give more of the lines around it, or say that all are meant.",
        Code::OverlappingEdits => "Join the two replacements into one.",
        Code::InvalidLineRange | Code::InvalidLineNumber => {
            "Read the file again: its lines have moved, or are counted from another base."
        }
        Code::NoValidDiff => {
            "Give a unified diff with `---`, `+++` and `@@` lines, complete to its end."
        }
        Code::PatchFailed => "Read the files that the message names and make the diff again.",
        Code::RiskLevelHigh => "Look at what the result warns of.",
        Code::FileChanged => "Read the file again and repeat the change on what is there now.",
        Code::FileBusy | Code::RepositoryBusy => "Repeat it when the other process is done.",
        Code::DiskFull => "Free some space, also in the state directory, and repeat.",
        Code::IndexNotBuilt => {
            "Run `kitbag doctor`; a search by regular expression needs no index."
        }
        Code::InvalidRegex => "Correct the pattern, or escape its special characters.",
        Code::InvalidGlob => {
            "Correct the pattern; `*` is any text in a name, `**` any directories."
        }
        Code::Timeout => "Give it more time, or less to do.",
        Code::CommandNotFound => {
            "Install the program; if it is outside of what programs see, start Kitbag with `--expose DIR:ro`."
        }
        Code::Killed => "Look at its output; the memory or the time may have been too small.",
        Code::CommandFailed | Code::BuildFailed => "Its output says why.",
        Code::NoTestCommand
        | Code::NoFormatCommand
        | Code::NoLintCommand
        | Code::NoBuildCommand => "Give the command with the call.",
        Code::PortInUse => "Choose another port, or stop the program that listens.",
        Code::Cancelled => "Nothing, if it was meant; what was kept is in `kitbag log`.",
        Code::TaskNotFound => "List the tasks or plans for their ids.",
        Code::InvalidTier => "Use `project`, `reasoning` or `vault`.",
        Code::EmptyKey | Code::EmptyValue | Code::EmptyName | Code::EmptyPattern => {
            "Give a text that is not empty."
        }
        Code::InvalidTagFormat => "Give tags as a list of texts.",
        Code::QueryTooShort => "Ask with more words.",
        Code::InvalidJSON => "Correct the JSON at the place that the message names.",
        Code::MissingFrameId | Code::MissingCogSteps => "Add the field to the frame.",
        Code::NoActiveFrame => "Store or load a frame first.",
        Code::NotAGitRepository => "Name a directory inside a repository, or run `git init`.",
        Code::InvalidDateRange => "Give dates such as `2026-01-31`, the earlier one first.",
        Code::NothingToCommit => "Change or stage something first.",
        Code::ProtectedBranch => "Consider a branch of its own.",
        Code::BranchNotFound | Code::BranchAlreadyExists => {
            "List the branches and choose another name."
        }
        Code::CouldNotDetermineBranch => "Switch to a branch.",
        Code::BranchNotMerged => "Merge it, or delete it by force if its commits may be lost.",
        Code::LocalChanges => "Commit or stash them first.",
        Code::MergeConflict => "Edit the files that the message names, stage them, and commit.",
        Code::HookFailed => "Mend what the hook names.",
        Code::SigningFailed => {
            "Check the signing key of git, which programs without a terminal cannot unlock."
        }
        Code::NoUpstream => "Name the remote and the branch.",
        Code::RemoteNotFound => "Check the name and address of the remote.",
        Code::PushRejected => {
            "Pull first; the remote has commits that are missing here, or refuses by its own rules."
        }
        Code::AuthenticationFailed => {
            "Set up an SSH agent or a credential helper; nobody can type a password."
        }
        Code::NetworkUnreachable | Code::NetworkError => {
            "Check the address and the network, then repeat."
        }
        Code::GitFailed => "Git's own words are in the message.",
        Code::InvalidURL => "Give a whole address that begins with `http://` or `https://`.",
        Code::AddressRefused => "Start Kitbag with `--web-allow HOST:PORT` if it is meant.",
        Code::RobotsRefused => "Look for the information elsewhere.",
        Code::HttpError => "Check the address; the status is in the message.",
        Code::CertificateInvalid => "Do not trust the answer; check the address and the clock.",
        Code::TooManyRedirects => "Use the address that the site ends at.",
        Code::NoSearchBackend => {
            "Start Kitbag with `--web-search`; `kitbag doctor` lists the choices."
        }
        Code::SearchUnsupported => "Leave out what the message names, or use another engine.",
        Code::SearchFailed => "Repeat it later, or use another engine.",
        Code::BrowserUnavailable => {
            "Install Chromium, name its directory with `--programs`, or connect the extension. See [the browser](../guide/browser.md)."
        }
        Code::BrowserFailed => {
            "The message has the browser's words; the next call starts a new one."
        }
        Code::NavigationFailed => "Check the address, and whether its server runs.",
        Code::TabNotFound => "Open a page first, or use a tab that the message names.",
        Code::PageNotLoaded => "Navigate to load a page in the tab.",
        Code::ElementNotFound => "Read the page again for references that fit it as it is now.",
        Code::ScreenshotFailed => "Repeat it, or read the page.",
        Code::CoordinatesInvalid => "Give coordinates in the viewport, or a selector.",
        Code::ClickFailed => "The message says what is in the way, or how to enable it.",
        Code::NoFocusedElement => "Click the field first.",
        Code::NotEditable => "Click a field that takes text.",
        Code::TypeFailed => "The message says what the field takes.",
        Code::NoResults => "Use words that are on the page, or read it.",
        Code::ModelFailed => {
            "Check the key, the name of the model and the base URL that the message names. See [run](../guide/run.md)."
        }
        Code::ServerFailed => {
            "The message names the server and says why. See [run](../guide/run.md#tools-of-other-servers)."
        }
        Code::NothingToUndo => "`kitbag log` lists the calls.",
        Code::UndoConflict => {
            "Undo the later call that the message names, or use `--force`, which keeps what is there. See [undo](../guide/undo.md)."
        }
        Code::ContentDamaged => "`--force` turns the rest; run `kitbag doctor`.",
        Code::Io => {
            "The message has the system's words; `kitbag doctor` says what is wrong with the state directory."
        }
        Code::Internal => "Report it with the message.",
    }
}
