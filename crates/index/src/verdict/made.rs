//! Whether a file may still make a name that none of its definitions has: by a macro, by a call
//! where definitions are, by what makes names while it runs.

use fault::{Cancel, Code, Result};
use files::search::Grep;
use syntax::{How, Kind, Language, Maker, Symbol};

use super::gone::{Gone, joined};
use super::paths::{directory, join};
use super::plain::{is_plain, methods};
use super::sources::Sources;
use super::uses::{has_word, words};
use super::{Side, Sides, Touched};

/// A language, whether it is about members or what is outside of types, and words by which any name
/// may come to be.
type Row = (&'static [Language], Option<bool>, &'static [&'static str]);

const SCRIPT: &[Language] = &[Language::JavaScript, Language::TypeScript, Language::Tsx];
/// What makes any name.
const ANY: [Row; 9] = [
    (
        &[Language::Python],
        Some(false),
        &["globals()", "\ndef __getattr__", "sys.modules[", "\nexec(", "\nlocals()", "\nvars()"],
    ),
    (
        &[Language::Python],
        Some(true),
        &[
            " __getattr__",
            " __getattribute__",
            "setattr(self,",
            "setattr(cls,",
            "__dict__",
            "make_dataclass",
        ],
    ),
    (
        SCRIPT,
        Some(true),
        &["new Proxy(", "Object.assign(this", ".prototype,", ".prototype[", "[key: string]"],
    ),
    (SCRIPT, Some(false), &["exports[", "Object.assign(exports", "Object.assign(module.exports"]),
    (
        &[Language::Ruby],
        None,
        &[
            "method_missing",
            "const_missing",
            "class_eval",
            "module_eval",
            "instance_eval",
            "define_singleton_method",
            "delegate_missing_to",
        ],
    ),
    (&[Language::Rust], None, &["include!(", "include! {"]),
    (&[Language::CSharp], Some(true), &[" partial "]),
    (&[Language::Php], Some(true), &["__call", "__get"]),
    (&[Language::Java], Some(true), &["@Delegate"]),
];
/// What makes the names that it is given in quotes.
const QUOTED: [&str; 11] = [
    "setattr",
    "namedtuple",
    "NamedTuple",
    "__slots__",
    "Enum",
    "TypedDict",
    "type",
    "defineProperty",
    "defineProperties",
    "exports",
    "prototype",
];
/// Bytes behind it in which they are.
const NEAR: usize = 400;
/// Methods that annotations make, whatever the fields are called.
const BUILDERS: [&str; 6] = ["build", "builder", "toBuilder", "to_builder", "canEqual", "log"];
/// Lines that name programs of a build, of a package of Go.
const MOST_PROGRAMS: usize = 20;
/// A shorter word of a macro is in too many names.
const PART: usize = 3;

/// Whether the file may have the definition all the same. `after` is what it defines now.
pub(super) fn may_make<'s>(
    file: &Touched<'_>,
    [before, now]: &[Side; 2],
    symbol: &Symbol,
    language: Language,
    mut after: impl Iterator<Item = &'s Symbol> + Clone,
) -> bool {
    let Some(text) = file.after else { return false };
    let (name, is_member) = (&*symbol.name, symbol.container.is_some());
    if is_dynamic(language, text, is_member) {
        return true;
    }
    let is_part = |word: &str| {
        let (word, name) = (joined(word), joined(name));
        word.len() >= PART && name.contains(&word)
    };
    let makes = |maker: &Maker| makes(maker, before, symbol, language, text);
    now.makers.iter().any(makes)
        || is_assigned(text, name, language)
        || is_quoted(text, name, language)
        || language.is_script() && is_in_literal(text, symbol, after.clone())
        || is_generated(text, language)
            && after.any(|field| {
                let is_field = matches!(field.kind, Kind::Field | Kind::Property);
                is_field && is_part(&field.name) || BUILDERS.contains(&name)
            })
}

/// Whether one of the makers of a file may make a definition; `before` has those it had before.
fn makes(maker: &Maker, before: &Side, symbol: &Symbol, language: Language, text: &str) -> bool {
    let (name, whole) = (&*symbol.name, joined(&symbol.name));
    let is_in = |word: &str, whole: &str| word.len() >= PART && whole.contains(word);
    let is_new = !before.makers.contains(maker);
    let outer = symbol.container.as_deref();
    // What is made beside a type is called after it.
    let is_about = |of: &str| match outer {
        Some(outer) => {
            outer == of || joined(outer) != joined(of) && is_in(&joined(of), &joined(outer))
        }
        None => whole != joined(of) && is_in(&joined(of), &whole),
    };
    let is_of_it = maker.of.as_deref().is_some_and(|of| outer == Some(of));
    match maker.how {
        How::Open => is_of_it,
        How::Derive | How::Trait => match methods(&maker.text) {
            Some(mut methods) => is_of_it && methods.any(|method| method == name),
            None if maker.how == How::Trait => is_of_it && is_new,
            None => maker.of.as_deref().is_some_and(is_about),
        },
        How::Annotation if is_plain(language, &maker.text, text) => false,
        How::Annotation => maker.of.as_deref().is_some_and(is_about),
        How::Program => program_makes(&maker.text, name),
        How::Call if is_of_it => true,
        // What a macro stands for is made where it is called.
        How::Call if symbol.kind == Kind::Macro && maker.text.starts_with("macro_rules!") => false,
        How::Call if language == Language::Python => false,
        How::Call => {
            let mut words = maker.text.split(|c: char| !c.is_alphanumeric() && c != '_');
            // No call of Ruby makes a constant without its name, and some make just the names they
            // are given.
            let is_whole = language == Language::Ruby
                && (name.starts_with(char::is_uppercase) || maker.text.starts_with("attr_"));
            match is_whole {
                true => words.any(|word| word == name),
                false => is_new || words.any(|word| is_in(&joined(word), &whole)),
            }
        }
    }
}

/// Whether a program that the build runs, by the line that names it, may make a definition.
fn program_makes(line: &str, name: &str) -> bool {
    match line {
        line if line.contains("stringer") => name == "String",
        line if line.contains("mock") => name.to_lowercase().contains("mock") || name == "EXPECT",
        _ => true,
    }
}

/// Whether it may be in a part of its file, or made by a program that a file beside it in Go names.
pub(super) fn is_beside(
    gone: &Gone<'_>,
    sides: &Sides,
    sources: &Sources<'_>,
    stop: &Cancel,
) -> Result<bool> {
    if gone.language != Language::Go {
        return Ok(is_included(gone, sides, sources));
    }
    let dir = Some(directory(gone.path)).filter(|dir| !dir.is_empty()).unwrap_or(".");
    let lines = Grep { recursive: false, ..Grep::new("^//go:generate ", dir, MOST_PROGRAMS) };
    // A directory that went has none.
    let found = match files::search::grep(sources.workspace, &lines, stop) {
        Err(error) if error.code == Code::Cancelled => return Err(error),
        found => found.map(|found| found.hits).unwrap_or_default(),
    };
    Ok(found.iter().any(|hit| program_makes(&hit.text, &gone.name)))
}

/// Whether a file may make any name that others bring in from it.
pub(super) fn may_give(side: &Side, name: &str) -> bool {
    side.makers.iter().any(|maker| match &maker.of {
        None => true,
        Some(of) => maker.how == How::Annotation && name != of && name.contains(&**of),
    })
}

/// Whether any name may come to be in a file, of a member or outside of types.
pub(super) fn is_dynamic(language: Language, text: &str, is_member: bool) -> bool {
    let rows = ANY.iter().filter(|(languages, of, _)| {
        languages.contains(&language) && of.is_none_or(|of| of == is_member)
    });
    let mut any = rows.flat_map(|(.., words)| *words);
    any.any(|word| text.contains(word)) || text.starts_with("def __getattr__") && !is_member
}

/// Whether it may be in a file that its own file of C takes in as a part.
fn is_included(gone: &Gone<'_>, sides: &Sides, sources: &Sources<'_>) -> bool {
    let at = sources.touched.iter().position(|file| file.path == gone.path);
    let Some([_, side]) = at.and_then(|at| sides.files.get(at)) else { return false };
    if !gone.language.can_use(Language::C) {
        return false;
    }
    let is_part =
        |path: &&str| ![".h", ".hh", ".hpp", ".hxx"].iter().any(|end| path.ends_with(end));
    let mut parts = side.imports.iter().map(|import| &*import.from).filter(is_part);
    parts.any(|path| {
        let text = sources.text(&join(directory(gone.path), path));
        text.is_none_or(|text| has_word(&text, &gone.name))
    })
}

/// Whether something is given the name, or a loop of the module is.
fn is_assigned(text: &str, name: &str, language: Language) -> bool {
    let is_script = language.is_script();
    if !is_script && language != Language::Python {
        return false;
    }
    words(text, name).any(|(before, after)| {
        let line = before.rsplit('\n').next().unwrap_or_default();
        let rest = after.lines().next().unwrap_or_default().trim_start();
        let is_given = |rest: &str| {
            rest.strip_prefix('=').is_some_and(|rest| !rest.starts_with(['=', '>', '~']))
        };
        let is_typed = rest.starts_with(':') && !is_script;
        let is_first = rest.starts_with(',') && rest.contains(" = ");
        let is_attribute = before.ends_with('.') && (is_given(rest) || is_typed || is_first);
        let is_bound = !is_script
            && (line.starts_with("for ") && !line.contains(" in ")
                || line.trim_start().starts_with("global "));
        is_attribute || is_bound
    })
}

/// Whether what it was in is an object now, whose literal has the name or all of another.
fn is_in_literal<'s>(
    text: &str,
    symbol: &Symbol,
    mut after: impl Iterator<Item = &'s Symbol>,
) -> bool {
    after.any(|now| {
        let lines = text.lines().take(now.end_line).skip(now.start_line - 1);
        matches!(now.kind, Kind::Constant | Kind::Variable)
            && symbol.container.as_ref() == Some(&now.name)
            && lines
                .skip_while(|line| !line.contains('{'))
                .any(|line| line.contains("...") || words(line, &symbol.name).next().is_some())
    })
}

/// Whether it is named in quotes where names are made so.
fn is_quoted(text: &str, name: &str, language: Language) -> bool {
    let is_one = language.is_script() || language == Language::Python;
    let near = |after: &str| {
        let near = &after[..after.floor_char_boundary(NEAR)];
        words(near, name).any(|(before, after)| {
            let is_end = |c: char| "\"' ,`".contains(c);
            before.ends_with(is_end)
                && after.starts_with(is_end)
                && before.matches(['"', '\'', '`']).count() % 2 == 1
        })
    };
    is_one
        && QUOTED.iter().any(|maker| {
            words(text, maker)
                .any(|(_, after)| after.starts_with(['(', ' ', '.', ',']) && near(after))
        })
}

/// Whether annotations of the file make methods for its fields.
fn is_generated(text: &str, language: Language) -> bool {
    match language {
        Language::Java => has_word(text, "lombok") || has_word(text, "AutoValue"),
        Language::CSharp => text.contains("[Observable"),
        _ => false,
    }
}
