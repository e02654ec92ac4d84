//! Of which type a value is whose member is used, as far as the text around it says.

use syntax::{Kind, Language, Symbol};

use super::uses::{has_word, words};

/// Types around another that give its members too.
const AROUND: [&str; 9] =
    ["Arc<", "Box<", "Cow<", "Optional[", "Option<", "Pin<", "Rc<", "Ref<", "RefMut<"];
/// What is before a name in C and is no type.
const NO_TYPES: [&str; 14] = [
    "and", "auto", "case", "const", "else", "goto", "not", "or", "return", "sizeof", "static",
    "struct", "union", "volatile",
];
/// Types that say nothing of what is in them.
const OPEN: [&str; 12] = [
    "Any", "Arc", "Box", "Cell", "Mutex", "Object", "Ok", "Optional", "Rc", "RefCell", "Self",
    "Some",
];
/// How values begin that are of a type of the language.
const PLAIN: [&str; 15] = [
    "\"", "'", "`", "[", "{", "f\"", "f'", "dict(", "list(", "set(", "str(", "open(", "vec![",
    "String::", "format!(",
];

/// What a text says of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// It is of the type.
    It,
    /// It is of others.
    Other,
    /// Nothing, or not always the same.
    Nothing,
}

/// What is said of a variable at a line: in the function around it, or else in the file. `is_it`
/// tells whether the name of a type, with its path, is that which is meant.
pub(super) fn said(
    (text, symbols): (&str, &[Symbol]),
    (variable, line): (&str, usize),
    language: Language,
    is_it: &dyn Fn(&str) -> bool,
) -> Said {
    if variable.is_empty() {
        return Said::Nothing;
    }
    let is_around = |symbol: &&Symbol| {
        matches!(symbol.kind, Kind::Function | Kind::Method)
            && (symbol.start_line..=symbol.end_line).contains(&line)
    };
    let around = symbols.iter().filter(is_around).max_by_key(|symbol| symbol.start_line);
    let near = around.map(|symbol| lines(text, symbol.start_line, symbol.end_line));
    // What the function binds is not what is so called elsewhere.
    let is_bound = around.is_some_and(|symbol| has_word(&symbol.signature, variable))
        || near.is_some_and(|near| {
            let mut places = words(near, variable);
            places.any(|(before, after)| {
                let after = after.trim_start();
                let is_value =
                    after.starts_with(":=") || after.starts_with('=') && !after.starts_with("==");
                is_value && !is_of_self(before)
                    || before.ends_with("for ")
                    || before.ends_with(" as ")
            })
        });
    [near, (!is_bound).then_some(text)]
        .into_iter()
        .flatten()
        .map(|text| types(text, variable, language))
        .find(|types| !types.is_empty())
        .map_or(Said::Nothing, |types| {
            let count = types.iter().filter(|name| is_it(name)).count();
            match count {
                0 => Said::Other,
                count if count == types.len() => Said::It,
                _ => Said::Nothing,
            }
        })
}

/// Lines of a text, from 1, both included.
fn lines(text: &str, first: usize, last: usize) -> &str {
    let start = |line: usize| {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        std::iter::once(0).chain(breaks).nth(line - 1).unwrap_or(text.len())
    };
    &text[start(first)..start(last + 1)]
}

/// The types that a variable is said to be of: `x: T`, `x = T(`, `x := &T{`, `T x`.
fn types(text: &str, variable: &str, language: Language) -> Vec<String> {
    let marks = [':', '=', ' ', '&', '*', '"', '\''];
    let mut found = Vec::new();
    for (before, after) in words(text, variable) {
        let after = after.lines().next().unwrap_or_default();
        let before = before.lines().next_back().unwrap_or_default();
        if before.ends_with(['.', '>', '"', '\'']) && !before.ends_with("> ") && !is_of_self(before)
        {
            continue;
        }
        if after.starts_with([':', '=', ' ']) {
            found.extend(behind(after.trim_start_matches(marks), after, language));
        }
        found.extend(ahead(before, language));
    }
    found
}

/// Whether the variable is a field of what the code is in.
fn is_of_self(before: &str) -> bool {
    ["self.", "this.", "this->"].iter().any(|own| before.ends_with(own))
}

/// The type behind a variable.
fn behind(rest: &str, after: &str, language: Language) -> Option<String> {
    let is_value = after.trim_start().starts_with('=') || after.trim_start().starts_with(":=");
    let says_type =
        !matches!(language, Language::C | Language::Cpp | Language::Java | Language::CSharp);
    if is_value
        && says_type
        && (PLAIN.iter().any(|plain| rest.starts_with(plain)) || is_number(rest))
    {
        return Some(String::new());
    }
    let mut rest = rest;
    loop {
        let leads = ["new ", "mut ", "await ", "dyn ", "impl ", "const ", "&", "*", "'_ "];
        let next = leads.iter().chain(&AROUND).find_map(|lead| rest.strip_prefix(lead));
        // A value is made by no type around it.
        match next {
            Some(next) => rest = next,
            None => break,
        }
    }
    let is_part = |c: char| c.is_alphanumeric() || "_.:".contains(c);
    let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
    let (path, tail) = rest.split_at(end);
    let path = path.trim_end_matches([':', '.']);
    if !is_value {
        return type_of(path, language).filter(|_| !path.is_empty());
    }
    // What a type gives by a name is not always one of it.
    for made in ["::new", "::default", ".new"] {
        if let Some(path) = path.strip_suffix(made) {
            return type_of(path, language);
        }
    }
    let is_made = tail.starts_with(['(', '{', '<', ' ']) || tail.is_empty();
    if language == Language::Go {
        let last = path.rsplit('.').next().unwrap_or(path);
        let made = last.strip_prefix("New").filter(|name| !name.is_empty());
        let made = made.map(|name| format!("{}{name}", &path[..path.len() - last.len()]));
        return made.or_else(|| tail.starts_with('{').then(|| path.to_owned()));
    }
    type_of(path, language).filter(|_| is_made)
}

/// The type ahead of a variable: `T x`, `struct t *x`.
fn ahead(before: &str, language: Language) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || "_.:".contains(c);
    let head = before.trim_end_matches([' ', '*', '&']);
    if head.len() == before.len() {
        return None;
    }
    let name = head.rsplit(|c| !is_part(c)).next().filter(|name| !name.is_empty())?;
    match language {
        Language::C | Language::Cpp => {
            let is_type = !NO_TYPES.contains(&name) && !name.starts_with(|c: char| c.is_numeric());
            is_type.then(|| name.to_owned())
        }
        Language::Java | Language::CSharp => type_of(name, language),
        _ => None,
    }
}

/// The path of a type, if it is written as one.
fn type_of(path: &str, language: Language) -> Option<String> {
    let last = path.rsplit(['.', ':']).next().unwrap_or(path);
    let is_type = match language {
        Language::Go => !last.is_empty(),
        _ => is_class(last) && !OPEN.contains(&last),
    };
    is_type.then(|| path.to_owned())
}

fn is_number(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

pub(super) fn is_class(name: &str) -> bool {
    name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase)
}

/// The class that an expression names or makes one of, by how such names are written.
pub(super) fn class_of(owner: &str) -> Option<&str> {
    let name = owner.strip_prefix("new ").unwrap_or(owner);
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    let (name, rest) = name.split_at(end);
    let makes = ["::new(", "::default(", ".new(", "(", "<", "{"];
    let is_made = rest.is_empty()
        || rest == ".new"
        || makes.iter().any(|make| rest.starts_with(make)) && rest.matches(')').count() <= 1;
    (is_class(name) && is_made).then_some(name)
}

/// The type of the literal whose brace is open at the end of a text: the name before it, or that
/// which the variable is said to be of.
pub(super) fn literal_of(before: &str, language: Language) -> Option<&str> {
    let mut open = 0_usize;
    let at = before.char_indices().rev().find(|(_, c)| match c {
        '}' => {
            open += 1;
            false
        }
        '{' if open > 0 => {
            open -= 1;
            false
        }
        c => *c == '{' || *c == ';',
    });
    let head = before[..at.filter(|(_, c)| *c == '{')?.0].trim_end();
    let is_part = |c: char| c.is_alphanumeric() || "_.:".contains(c);
    let last = |head: &str| head.rfind(|c| !is_part(c)).map_or(0, |at| at + 1);
    let given = || head.strip_suffix('=').map(str::trim_end);
    if language.is_script() {
        let head = given()?;
        let start = last(head);
        return head[..start].trim_end().ends_with(':').then_some(&head[start..]);
    }
    if language.can_use(Language::C) {
        let head = match given() {
            Some(head) => head[..last(head.trim_end_matches(']'))].trim_end(),
            None => head.strip_suffix(')')?,
        };
        return Some(&head[last(head)..]).filter(|name| !name.is_empty());
    }
    let start = last(head);
    Some(&head[start..]).filter(|name| !name.is_empty() && !has_word(&head[..start], "impl"))
}
