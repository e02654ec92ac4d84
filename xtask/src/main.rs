//! What a developer of Kitbag runs: `cargo xtask COMMAND`.

#![expect(
    clippy::disallowed_methods,
    reason = "a developer's program: it works on the repository itself"
)]
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it speaks to a developer")]

mod bench;
mod dependencies;
mod docs;
#[cfg(test)]
mod laws;
mod new_tool;
mod quality;
mod remedies;
mod test;
#[cfg(target_arch = "x86_64")]
mod torture;

use std::path::PathBuf;
use std::process::ExitCode;

/// What a step of xtask fails with: a text for the developer.
type Result<T = ()> = std::result::Result<T, String>;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  test                       everything a release needs; installs what is missing
  docs                       write docs/reference and the tool matrix of README.md
  new-tool TOOLSET NAME      a new tool: its file and its two lines in the index
  bench [NAME ...]           measure beside peers and write docs/performance.md
  search-quality [choose]    measure ranked search and write docs/search-quality.md
  torture MINUTES [...]      kill, starve and race the release binary; without more, says how
  distill                    make the table of vectors of the index anew (half an hour)
  dependencies               licences and sources against deny.toml
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match &words[..] {
        ["test"] => test::run(),
        ["docs"] => docs::write(),
        ["new-tool", toolset, name] => new_tool::run(toolset, name),
        ["bench", names @ ..] => bench::run(names),
        ["search-quality", words @ ..] => quality::run(words),
        #[cfg(target_arch = "x86_64")]
        ["torture", words @ ..] => torture::run(words),
        ["distill"] => quality::distill(),
        ["dependencies"] => dependencies::check(),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("xtask: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// The root of the repository. cargo is asked at run time: a build folder can serve two clones.
fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or(env!("CARGO_MANIFEST_DIR").into());
    let here = PathBuf::from(here);
    here.parent().map(PathBuf::from).unwrap_or(here)
}

/// Runs a program in the root and fails with its name if it fails.
fn run(program: &str, arguments: &[&str]) -> Result {
    println!("\n$ {program} {}", arguments.join(" "));
    let status = std::process::Command::new(program)
        .args(arguments)
        .current_dir(root())
        .status()
        .map_err(|e| format!("{program} does not start: {e}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{program} {} failed ({status})", arguments.join(" ")))
    }
}

/// What a program prints, if it succeeds.
fn output(program: &str, arguments: &[&str]) -> Result<String> {
    let out = std::process::Command::new(program)
        .args(arguments)
        .current_dir(root())
        .output()
        .map_err(|e| format!("{program} does not start: {e}"))?;
    if !out.status.success() {
        return Err(format!(
            "{program} {}: {}",
            arguments.join(" "),
            String::from_utf8_lossy(&out.stderr)
        ));
    }
    Ok(String::from_utf8_lossy(&out.stdout).into_owned())
}
