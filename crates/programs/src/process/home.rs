//! What builds need of a person's home, and of what their environment names.
//!
//! A program gets an empty home with these in it. Everything else of the person's is not hidden
//! but absent, so that a store of keys that nobody thought of is out of reach too.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::environment::get;

/// Toolchains and what they are configured by, for reading.
const TOOLS: &[&str] = &[
    ".cargo/bin",
    ".cargo/env",
    ".nvm",
    ".fnm",
    ".local/share/fnm",
    ".volta",
    ".n",
    ".nodenv",
    ".bun/bin",
    ".deno/bin",
    ".pyenv",
    ".local/share/uv",
    ".local/share/pipx",
    ".local/pipx",
    ".local/share/mise",
    ".local/lib",
    ".local/bin",
    "miniconda3",
    "miniforge3",
    "mambaforge",
    "anaconda3",
    ".rbenv",
    ".rvm",
    ".asdf",
    "go/bin",
    ".goenv",
    ".sdkman",
    ".jdks",
    ".jenv",
    ".dotnet",
    ".ghcup",
    ".cabal/bin",
    ".opam",
    ".elan",
    ".julia",
    ".juliaup",
    ".swiftly",
    ".nix-profile",
    ".local/state/nix/profiles",
];

/// Configuration of build tools, for reading, unless a word in it looks like a key.
const CONFIGURATION: &[&str] = &[
    ".cargo/config.toml",
    ".cargo/config",
    ".config/pip/pip.conf",
    ".config/uv/uv.toml",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".condarc",
    ".gemrc",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".config/go/env",
    ".config/ccache/ccache.conf",
];

/// Words that stand beside a key in such a file.
const KEYS: &[&str] = &["token", "password", "passwd", "secret", "auth", "credential", "apikey"];

/// Variables that name a toolchain: all of it may be read.
const NAMED: &[&str] = &[
    "GOROOT",
    "JAVA_HOME",
    "JDK_HOME",
    "GRADLE_HOME",
    "ANDROID_HOME",
    "ANDROID_SDK_ROOT",
    "KOTLIN_HOME",
    "SCALA_HOME",
    "NVM_DIR",
    "NODE_PATH",
    "VOLTA_HOME",
    "FNM_DIR",
    "FNM_MULTISHELL_PATH",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "MAMBA_ROOT_PREFIX",
    "PYTHONHOME",
    "RBENV_ROOT",
    "GEM_HOME",
    "ASDF_DIR",
    "ASDF_DATA_DIR",
    "MISE_DATA_DIR",
    "DOTNET_ROOT",
    "OPAMROOT",
    "GHCUP_INSTALL_BASE_PREFIX",
    "STACK_ROOT",
    "CUDA_HOME",
    "CUDA_PATH",
];

/// Where build tools keep what they download: the variable that moves it, the directory in the
/// home if it is not set, what is written below it, and what is read.
type Cache = (&'static str, &'static str, &'static [&'static str], &'static [&'static str]);

const CACHES: &[Cache] = &[
    (
        "CARGO_HOME",
        ".cargo",
        &["registry", "git", ".package-cache", ".package-cache-mutate", ".global-cache"],
        &["bin"],
    ),
    ("GOPATH", "go", &["pkg"], &["bin"]),
    ("GOCACHE", ".cache/go-build", &[""], &[]),
    ("GOMODCACHE", "go/pkg/mod", &[""], &[]),
    ("", ".npm", &["_cacache"], &[]),
    ("", ".yarn/berry/cache", &[""], &[]),
    ("PNPM_HOME", ".local/share/pnpm", &["store"], &["bin", "global", "nodejs", "pnpm", "pnpx"]),
    ("MAVEN_HOME", "", &[], &["bin", "boot", "conf/logging", "lib"]),
    ("RUSTUP_HOME", ".rustup", &[], &["settings.toml", "toolchains", "update-hashes"]),
    ("BUN_INSTALL", ".bun", &["install/cache"], &["bin"]),
    ("DENO_DIR", ".cache/deno", &[""], &[]),
    ("", ".m2", &["repository"], &[]),
    (
        "GRADLE_USER_HOME",
        ".gradle",
        &[".tmp", "caches", "daemon", "native", "notifications", "wrapper", "workers"],
        &[],
    ),
    ("", ".ivy2", &["cache", "local"], &[]),
    ("NUGET_PACKAGES", ".nuget/packages", &[""], &[]),
    ("CCACHE_DIR", ".ccache", &[""], &[]),
    ("SCCACHE_DIR", ".cache/sccache", &[""], &[]),
    ("UV_CACHE_DIR", ".cache/uv", &[""], &[]),
    ("CARGO_TARGET_DIR", "", &[""], &[]),
    (
        "XDG_CACHE_HOME",
        ".cache",
        &[
            "Cypress",
            "bazel",
            "bazelisk",
            "black",
            "ccache",
            "clangd",
            "composer",
            "deno",
            "electron",
            "fontconfig",
            "go-build",
            "golangci-lint",
            "gopls",
            "hatch",
            "jedi",
            "matplotlib",
            "ms-playwright",
            "mypy",
            "node",
            "node-gyp",
            "pdm",
            "pip",
            "pnpm",
            "pre-commit",
            "puppeteer",
            "pylint",
            "pypoetry",
            "rebar3",
            "ruff",
            "sccache",
            "staticcheck",
            "turbo",
            "typescript",
            "uv",
            "virtualenv",
            "yarn",
            "zig",
        ],
        &[],
    ),
];

/// What builds need, by path: for reading, and for writing.
#[derive(Debug, Default)]
pub(super) struct Needed {
    pub(super) read: Vec<PathBuf>,
    pub(super) write: Vec<PathBuf>,
}

/// What of the home and of the variables of the host a build needs, whether or not it exists.
pub(super) fn needed(host: &[(OsString, OsString)], home: Option<&Path>) -> Needed {
    let mut needed = Needed::default();
    let absolute = |name: &str| get(host, name).map(Path::new).filter(|path| path.is_absolute());
    if let Some(home) = home {
        needed.read.extend(TOOLS.iter().map(|tool| home.join(tool)));
        let plain = CONFIGURATION.iter().map(|file| home.join(file)).filter(|f| holds_no_key(f));
        needed.read.extend(plain);
    }
    let holds_home = |path: &Path| home.is_some_and(|home| home.starts_with(path));
    let named = NAMED.iter().filter_map(|name| absolute(name)).chain(path_directories(host));
    needed.read.extend(named.filter(|path| !holds_home(path)).map(Path::to_owned));
    let prefixes = path_directories(host).filter_map(|bin| prefix(bin, home));
    needed.read.extend(prefixes.filter(|path| !holds_home(path)).map(Path::to_owned));
    for (variable, usual, written, read) in CACHES {
        let usual = home.filter(|_| !usual.is_empty()).map(|home| home.join(usual));
        let Some(base) = absolute(variable).map(Path::to_owned).or(usual) else { continue };
        if holds_home(&base) {
            continue;
        }
        needed.write.extend(written.iter().map(|part| base.join(part)));
        needed.read.extend(read.iter().map(|part| base.join(part)));
    }
    needed
}

/// Whether what a program writes to this path of its home can be made again by the one that needs it.
pub(super) fn is_cache(path: &Path) -> bool {
    let usual = |(_, base, written, _): &Cache| {
        !base.is_empty() && written.iter().any(|part| path.starts_with(Path::new(base).join(part)))
    };
    path.starts_with(".cache") || path.starts_with(".npm") || CACHES.iter().any(usual)
}

/// The directories of `PATH` that are absolute.
fn path_directories(host: &[(OsString, OsString)]) -> impl Iterator<Item = &Path> {
    let path = get(host, "PATH").map(OsStr::as_encoded_bytes).unwrap_or_default();
    path.split(|b| *b == b':').filter_map(|directory| {
        let directory = Path::new(std::str::from_utf8(directory).ok()?);
        directory.is_absolute().then_some(directory)
    })
}

/// Where a toolchain begins whose programs are in `bin`: the directory above it, unless that is
/// one in which other things of the person are too.
fn prefix<'a>(bin: &'a Path, home: Option<&Path>) -> Option<&'a Path> {
    let above = bin.parent().filter(|_| bin.ends_with("bin"))?;
    above.parent()?; // not the root of the file system
    let in_home = home.and_then(|home| above.strip_prefix(home).ok());
    let is_hidden =
        |rest: &Path| rest.components().any(|part| part.as_os_str().as_encoded_bytes()[0] == b'.');
    (!in_home.is_some_and(is_hidden)).then_some(above)
}

#[expect(clippy::disallowed_methods, reason = "configuration of tools is in the home")]
fn holds_no_key(file: &Path) -> bool {
    let Ok(text) = std::fs::read_to_string(file) else { return false };
    let text = text.to_lowercase();
    let in_address = text.split("://").skip(1).any(|rest| {
        rest.split(['/', '\n', '"', '\'']).next().is_some_and(|host| host.contains('@'))
    });
    !in_address && !KEYS.iter().any(|key| text.contains(key))
}
