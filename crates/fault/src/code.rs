//! The kinds of failure, spelt as they are on the wire.

use std::fmt;

macro_rules! spelling {
    ($name:ident) => {
        stringify!($name)
    };
    ($name:ident $spelling:literal) => {
        $spelling
    };
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident $(= $spelling:literal)?,)+) => {
        /// What kind of failure it is. The spelling of a variant is its spelling on the wire, unless another is given.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $($(#[doc = $doc])+ $name,)+ }

        impl Code {
            /// All codes, in the order of their definition.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// The spelling that clients see.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => spelling!($name $($spelling)?),)+ }
            }

            /// What the code means, one sentence for the reference.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),+).trim_ascii(),)+ }
            }
        }
    };
}

codes! {
    /// A parameter is missing, has the wrong type or a value that cannot be used.
    InvalidInput,
    /// No tool of this name is in the toolset.
    UnknownTool,
    /// The path leads out of the directories that the session may touch.
    PathOutsideWorkspace,
    /// The path is one that programs run or load automatically, so a person must allow the change.
    ProtectedPath,
    /// A person must allow the call, and no one can be asked.
    ApprovalRequired,
    /// The tool asks the person something, and nobody answers.
    NoAnswer,
    /// The policy, a person or the operating system refused the call.
    PermissionDenied,
    /// There is no file at the path.
    FileNotFound,
    /// There is no directory at the path.
    DirectoryNotFound,
    /// The directory in which the file would stand does not exist.
    ParentDirectoryNotFound,
    /// The path names a directory where a file is needed.
    IsDirectory,
    /// The path names a file where a directory is needed.
    NotADirectory,
    /// The path names a device, a pipe or a socket, which is never opened.
    NotAFile,
    /// Something is at the path already.
    FileExists,
    /// The file holds no text.
    BinaryFile,
    /// The file is larger than the bound of the operation.
    FileTooLarge,
    /// The new text has characters that the encoding of the file cannot write.
    InvalidEncoding,
    /// The text to be replaced does not stand in the file.
    StringNotFound,
    /// The text to be replaced is in the file more than once.
    MultipleMatches,
    /// Two replacements of one call touch the same text.
    OverlappingEdits,
    /// The lines named are not in the file, or end before they start.
    InvalidLineRange,
    /// The file does not have so many lines.
    InvalidLineNumber,
    /// The text is no unified diff, or one that breaks off or contradicts itself.
    NoValidDiff,
    /// A part of the diff does not fit the files; none was changed.
    PatchFailed,
    /// The diff is risky; a warning beside the result, not a failure.
    RiskLevelHigh,
    /// The file was changed by somebody else since this session read it.
    FileChanged,
    /// Another process holds the lock of the file for too long.
    FileBusy,
    /// The file system has no room left.
    DiskFull,
    /// The files could not be read for the search index.
    IndexNotBuilt,
    /// The regular expression is not valid.
    InvalidRegex,
    /// The path pattern is not valid.
    InvalidGlob,
    /// The program did not end, or no complete answer came, in the time there was.
    Timeout,
    /// There is no program of this name.
    CommandNotFound,
    /// A signal ended the program.
    Killed,
    /// The program ended with a code that says it failed.
    CommandFailed,
    /// The build ended with a code that says it failed.
    BuildFailed,
    /// The project has no command that runs its tests.
    NoTestCommand,
    /// The project has no command that formats its sources.
    NoFormatCommand,
    /// The project has no linter.
    NoLintCommand,
    /// The project has no command that builds it.
    NoBuildCommand,
    /// Somebody listens already on the port that a program is to listen on.
    PortInUse,
    /// The call was cancelled by the client.
    Cancelled,
    /// There is no task of this id.
    TaskNotFound,
    /// The cache has no tier of this name.
    InvalidTier,
    /// The key is empty.
    EmptyKey,
    /// There is nothing to store.
    EmptyValue,
    /// The name is empty.
    EmptyName,
    /// The pattern is empty.
    EmptyPattern,
    /// A tag is no text.
    InvalidTagFormat,
    /// The query is too short to be of use.
    QueryTooShort,
    /// The text is no JSON.
    InvalidJSON,
    /// The reasoning frame has no id.
    MissingFrameId,
    /// The reasoning frame has no list of steps.
    MissingCogSteps,
    /// No reasoning frame is active.
    NoActiveFrame,
    /// The directory belongs to no git repository.
    NotAGitRepository,
    /// A time to search from or to is no date, or the two leave nothing between them.
    InvalidDateRange,
    /// There is nothing that a commit could hold.
    NothingToCommit,
    /// A commit on a protected branch; a warning beside the result, not a failure.
    ProtectedBranch,
    /// There is no branch of this name.
    BranchNotFound,
    /// There is a branch of this name already.
    BranchAlreadyExists,
    /// The repository is on no branch.
    CouldNotDetermineBranch,
    /// The branch holds commits that would be lost with it.
    BranchNotMerged,
    /// Files that were changed and not committed would be overwritten.
    LocalChanges,
    /// Two sides changed the same lines; a person or the model must decide.
    MergeConflict,
    /// Another git process holds the lock of the repository.
    RepositoryBusy,
    /// A hook of the repository refused.
    HookFailed,
    /// The commit could not be signed.
    SigningFailed,
    /// The branch follows no branch of a remote.
    NoUpstream,
    /// The repository has no remote of this name, or nothing is there.
    RemoteNotFound,
    /// The remote did not take what was pushed.
    PushRejected,
    /// The remote did not accept who asks, or needs a password that nobody can type.
    AuthenticationFailed,
    /// The remote could not be reached.
    NetworkUnreachable,
    /// Git failed in a way that no other code covers.
    GitFailed,
    /// The text is no address of the web, or one that is not used here.
    InvalidURL,
    /// The address belongs to this machine or its networks, and the operator did not allow it.
    AddressRefused,
    /// The site asks programs not to read the page.
    RobotsRefused,
    /// The server answered that it failed, or that there is no such page.
    HttpError,
    /// No answer came, or it broke off.
    NetworkError,
    /// The server could not prove that it is who it should be.
    CertificateInvalid,
    /// There is more than may be read or kept.
    TooLarge,
    /// The site sends programs round in circles.
    TooManyRedirects,
    /// What the address leads to cannot be shown as text.
    NotText,
    /// No search engine is configured.
    NoSearchBackend,
    /// The search engine cannot do what is asked.
    SearchUnsupported,
    /// The search engine gave no answer that can be understood.
    SearchFailed,
    /// No browser can be used: no extension is connected, and none is installed.
    BrowserUnavailable = "BROWSER_EXTENSION_UNAVAILABLE",
    /// The browser ended, or gave no answer that can be used.
    BrowserFailed,
    /// The page could not be opened.
    NavigationFailed,
    /// There is no tab of this number, or none is open.
    TabNotFound,
    /// The tab shows no page that could be read.
    PageNotLoaded,
    /// No element of the page fits the selector.
    ElementNotFound,
    /// The browser gave no picture.
    ScreenshotFailed,
    /// The point is not in the part of the page that is shown.
    CoordinatesInvalid,
    /// The element cannot be clicked.
    ClickFailed,
    /// No element of the page has the focus.
    NoFocusedElement,
    /// The element that has the focus takes no text.
    NotEditable,
    /// The page did not take the text.
    TypeFailed,
    /// Nothing was found.
    NoResults,
    /// The model could not be asked, or its answer is not whole.
    ModelFailed,
    /// Another server could not be reached, or its tool failed.
    ServerFailed,
    /// The journal has no such call, or nothing in it that can be undone or redone.
    NothingToUndo,
    /// A file was changed after the call that is to be undone or redone.
    UndoConflict,
    /// A content that the journal kept is damaged or gone, so it cannot be restored.
    ContentDamaged,
    /// The operating system reported an error that no other code covers.
    Io,
    /// A defect of this program: the call was stopped, the server lives on.
    Internal,
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
