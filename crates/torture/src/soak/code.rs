//! Code whose definitions and uses a regular expression tells.

use std::collections::BTreeSet;
use std::path::Path;

use crate::Result;
use crate::answers::{Question, Servers};
use crate::dice::Dice;
use crate::texts;

/// Names that are defined and used all over the tree.
const NAMES: usize = 3000;
/// Extensions of code, and of what is none.
pub(super) const CODE: &[&str] = &["rs", "py", "c", "ts", "go"];

/// Lines of files.
pub(super) type Places = BTreeSet<(String, u64)>;

pub(super) fn name(dice: &mut Dice) -> String {
    format!("sym_{}", dice.below(NAMES))
}

pub(super) fn is_code(path: &Path) -> bool {
    path.extension().is_some_and(|end| CODE.iter().any(|code| end == *code))
}

/// A text that fits the extension: functions one below the other, so that any number of such texts
/// is one too.
pub(super) fn text(path: &Path, dice: &mut Dice) -> Vec<u8> {
    let end = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
    let mut text = String::new();
    for _ in 0..1 + dice.below(4) {
        let (name, used) = (name(dice), name(dice));
        text += &match end {
            "rs" => format!("pub fn {name}() {{\n    {used}();\n}}\n\n"),
            "py" => format!("def {name}():\n    {used}()\n\n\n"),
            "c" => format!("int {name}(void)\n{{\n    return {used}();\n}}\n\n"),
            "ts" => format!("export function {name}() {{\n  {used}();\n}}\n\n"),
            "go" => format!("func {name}() {{\n\t{used}()\n}}\n\n"),
            _ => format!("see {name}\n{}", texts::text(dice)),
        };
    }
    text.into_bytes()
}

/// Where ripgrep finds definitions of the name in code.
pub(super) fn definitions(servers: &Servers<'_>, name: &str) -> Result<Places> {
    in_code(servers, &format!(r"^(pub fn|def|int|export function|func) {name}\("))
}

/// Where it finds the name in code.
pub(super) fn uses(servers: &Servers<'_>, name: &str) -> Result<Places> {
    in_code(servers, &format!(r"\b{name}\b"))
}

fn in_code(servers: &Servers<'_>, pattern: &str) -> Result<Places> {
    let asked =
        Question { pattern: pattern.to_owned(), dir: ".".to_owned(), ..Question::default() };
    let mut places: Places = servers.ripgrep(&asked)??.into_keys().collect();
    places.retain(|(file, _)| is_code(file.as_ref()));
    Ok(places)
}
