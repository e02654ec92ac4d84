//! What programs see of the environment: what builds need, and nothing that could be a secret.
//!
//! Variables are let through by name, because nobody can list the names of all secrets. A program
//! that needs more is given it by the call.

use std::ffi::{OsStr, OsString};

/// Variables of the host that programs get; a `*` at the end stands for any end.
const PASSED: &[&str] = &[
    // who and where
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "EMAIL",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "TZ",
    "TMPDIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_CONFIG_DIRS",
    "XDG_DATA_HOME",
    "XDG_DATA_DIRS",
    "XDG_STATE_HOME",
    "HOSTNAME",
    "container",
    "WSL_DISTRO_NAME",
    "NIX_PATH",
    "NIX_PROFILES",
    "NIX_SSL_CERT_FILE",
    "LOCALE_ARCHIVE",
    // where compilers and package managers are
    "CARGO_HOME",
    "CARGO_TARGET_DIR",
    "CARGO_BUILD_JOBS",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "RUSTFLAGS",
    "RUSTC_WRAPPER",
    "RUST_BACKTRACE",
    "SCCACHE_DIR",
    "CCACHE_DIR",
    "GOPATH",
    "GOROOT",
    "GOCACHE",
    "GOMODCACHE",
    "GOBIN",
    "GOFLAGS",
    "GOTOOLCHAIN",
    "GOPROXY",
    "GONOSUMDB",
    "GOPRIVATE",
    "JAVA_HOME",
    "JDK_HOME",
    "MAVEN_HOME",
    "M2_HOME",
    "GRADLE_HOME",
    "GRADLE_USER_HOME",
    "ANDROID_HOME",
    "ANDROID_SDK_ROOT",
    "KOTLIN_HOME",
    "SCALA_HOME",
    "NVM_DIR",
    "NVM_BIN",
    "NODE_PATH",
    "NODE_EXTRA_CA_CERTS",
    "PNPM_HOME",
    "VOLTA_HOME",
    "FNM_DIR",
    "FNM_MULTISHELL_PATH",
    "BUN_INSTALL",
    "DENO_DIR",
    "COREPACK_HOME",
    "PYENV_ROOT",
    "PYENV_VERSION",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "CONDA_DEFAULT_ENV",
    "CONDA_EXE",
    "MAMBA_ROOT_PREFIX",
    "PYTHONPATH",
    "PYTHONHOME",
    "PIPX_HOME",
    "POETRY_HOME",
    "UV_CACHE_DIR",
    "UV_PYTHON",
    "RBENV_ROOT",
    "GEM_HOME",
    "GEM_PATH",
    "BUNDLE_PATH",
    "ASDF_DIR",
    "ASDF_DATA_DIR",
    "MISE_DATA_DIR",
    "DOTNET_ROOT",
    "NUGET_PACKAGES",
    "COMPOSER_HOME",
    "PHPRC",
    "OPAMROOT",
    "OPAM_SWITCH_PREFIX",
    "GHCUP_INSTALL_BASE_PREFIX",
    "STACK_ROOT",
    "MIX_HOME",
    "HEX_HOME",
    "JULIA_DEPOT_PATH",
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_VISIBLE_DEVICES",
    "LD_LIBRARY_PATH",
    "LIBRARY_PATH",
    "CPATH",
    "PKG_CONFIG_PATH",
    "CMAKE_PREFIX_PATH",
    "MANPATH",
    "CC",
    "CXX",
    "CFLAGS",
    "CXXFLAGS",
    "CPPFLAGS",
    "LDFLAGS",
    "AR",
    "LD",
    // the way to the network
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
    "REQUESTS_CA_BUNDLE",
    "PIP_CERT",
    "NPM_CONFIG_REGISTRY",
    "npm_config_registry",
    "CARGO_HTTP_CAINFO",
    "GIT_SSL_CAINFO",
    // who commits, and by which settings
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
];

/// Where the agents that hold keys are found, for programs that may use keys.
const AGENTS: &[&str] = &[
    "SSH_AUTH_SOCK",
    "GNUPGHOME",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSH_VARIANT",
];

/// What every program gets: nobody is there to answer a question or to turn a page.
const FIXED: &[(&str, &str)] = &[
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GH_PAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    // `true` accepts a text as it was prepared, so that `git commit --amend`, `rebase --continue`
    // and merges go on; a commit without any message still fails, because the message is empty.
    ("EDITOR", "true"),
    ("VISUAL", "true"),
    ("GIT_EDITOR", "true"),
    ("GIT_SEQUENCE_EDITOR", "true"),
    // Git clears up in the background by itself, where it would be ended with its command.
    ("GIT_CONFIG_COUNT", "2"),
    ("GIT_CONFIG_KEY_0", "gc.autoDetach"),
    ("GIT_CONFIG_VALUE_0", "false"),
    ("GIT_CONFIG_KEY_1", "maintenance.autoDetach"),
    ("GIT_CONFIG_VALUE_1", "false"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS", ""),
    ("GCM_INTERACTIVE", "never"),
    ("GH_PROMPT_DISABLED", "1"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("PIP_NO_INPUT", "1"),
    ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
    ("NPM_CONFIG_YES", "true"),
    ("NPM_CONFIG_FUND", "false"),
    ("NPM_CONFIG_UPDATE_NOTIFIER", "false"),
    ("COMPOSER_NO_INTERACTION", "1"),
];

/// The environment of programs, made from that of the host.
pub(super) fn of_programs(host: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
    let passed = host.iter().filter(|(name, _)| is_passed(name)).cloned();
    let fixed = FIXED.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
    passed.chain(fixed).collect()
}

/// What programs that may use keys get beside that.
pub(super) fn of_agents(
    host: &[(OsString, OsString)],
) -> impl Iterator<Item = (OsString, OsString)> {
    host.iter().filter(|(name, _)| AGENTS.iter().any(|agent| name == agent)).cloned()
}

/// The last value of a variable in a list.
pub(super) fn get<'a>(env: &'a [(OsString, OsString)], name: &str) -> Option<&'a OsStr> {
    env.iter().rev().find(|(n, _)| n == name).map(|(_, value)| value.as_os_str())
}

fn is_passed(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    PASSED.iter().any(|p| match p.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == *p,
    })
}
