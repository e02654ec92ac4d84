//! The packages that quality is measured on, fetched from their registries by the ordinary clients.

use std::fs;
use std::path::{Path, PathBuf};

use syntax::Language;

use crate::{Result, root, test};

/// Directories of packages that hold what was made from the sources beside them.
const MADE: [&str; 14] = [
    "dist",
    "build",
    "cjs",
    "esm",
    "es",
    "umd",
    "es6",
    "amd",
    "lib-esm",
    "legacy",
    "bundles",
    "node_modules",
    "__pycache__",
    "locale",
];
/// Larger files are data or generated.
const MOST_BYTES: u64 = 400_000;

/// One line of `xtask/search/packages.txt`.
pub(crate) struct Package {
    registry: String,
    name: String,
    version: String,
}

/// The packages of one use.
pub(crate) fn packages(for_what: &str) -> Result<Vec<Package>> {
    let list = root().join("xtask/search/packages.txt");
    let text = fs::read_to_string(&list).map_err(|e| format!("{}: {e}", list.display()))?;
    let mut packages = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        let [what, registry, name, version] = words[..] else {
            return Err(format!("{}: `{line}` has no four words", list.display()));
        };
        if what == for_what {
            let [registry, name, version] = [registry, name, version].map(str::to_owned);
            packages.push(Package { registry, name, version });
        }
    }
    Ok(packages)
}

/// A directory with the sources of all packages of one use, and nothing else.
pub(crate) fn sources(for_what: &str) -> Result<PathBuf> {
    let all = test::target()?.join("search-quality").join(for_what);
    for package in packages(for_what)? {
        let folder = all.join(package.folder());
        if !folder.exists() {
            println!("fetching {} {}", package.name, package.version);
            let raw = test::target()?.join("search-quality/fetched");
            let _ = fs::remove_dir_all(&raw);
            fs::create_dir_all(&raw).map_err(|e| format!("{}: {e}", raw.display()))?;
            package.fetch(&raw)?;
            let half = all.join("half");
            let _ = fs::remove_dir_all(&half);
            keep_sources(&raw.join("out"), &half).map_err(|e| format!("{}: {e}", package.name))?;
            fs::rename(&half, &folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
    }
    Ok(all)
}

impl Package {
    fn folder(&self) -> String {
        self.name.replace(['/', '@'], "")
    }

    /// Puts the package into `out` below `raw`.
    fn fetch(&self, raw: &Path) -> Result {
        let Self { name, version, .. } = self;
        let line = match &*self.registry {
            "pip" => format!(
                "pip download -q --no-deps --only-binary :all: --python-version 3.11 \
                 --platform manylinux2014_x86_64 --platform manylinux_2_17_x86_64 --platform any \
                 -d . '{name}=={version}' && python3 -m zipfile -e *.whl out"
            ),
            "npm" => {
                format!("npm pack --silent '{name}@{version}' && mkdir out && tar xzf *.tgz -C out")
            }
            "cargo" => {
                let plain = version.split('+').next().unwrap_or(version);
                format!(
                    "mkdir src && touch src/lib.rs && printf '%s\\n' '[package]' 'name = \"x\"' \
                     'edition = \"2021\"' '[workspace]' '[dependencies]' \
                     '{name} = {{ version = \"={plain}\", default-features = false }}' > Cargo.toml \
                     && cargo vendor -q --versioned-dirs all > printed && mv all/{name}-{plain}* out"
                )
            }
            other => return Err(format!("no registry `{other}`")),
        };
        let done = std::process::Command::new("sh").args(["-ec", &line]).current_dir(raw).status();
        match done {
            Ok(status) if status.success() => Ok(()),
            other => Err(format!("{name} {version} could not be fetched: {other:?}")),
        }
    }
}

/// Copies what people wrote.
fn keep_sources(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            if !MADE.contains(&&*name) && !name.starts_with('.') {
                keep_sources(&path, &to.join(name))?;
            }
        } else if kind.is_file() && entry.metadata()?.len() <= MOST_BYTES {
            let made =
                [".min.js", ".d.ts", ".d.mts", ".d.cts"].iter().any(|end| name.ends_with(end));
            let readme = name.ends_with(".md");
            if !made && (readme || Language::of(&name, b"").is_some()) {
                fs::copy(&path, to.join(name))?;
            }
        }
    }
    Ok(())
}
