//! Reads the text of patterns: the part of the query language of tree-sitter that ours use.

use std::iter::Peekable;
use std::num::NonZeroU16;

use regex::bytes::Regex;
use tree_sitter::Language;

use super::{Child, Condition, Kind, Pattern, Shape, Text};

/// What tree-sitter numbers an error in the tree with.
const ERROR: u16 = u16::MAX;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// One of `( ) [ ] . !`.
    Mark(char),
    /// Between quotes.
    Text(String),
    Capture(String),
    Condition(String),
    Field(String),
    Name(String),
}

/// The patterns of a file, and the names of its captures.
pub(super) fn patterns(
    text: &str,
    language: &Language,
) -> Result<(Vec<Pattern>, Vec<String>), String> {
    let tokens = tokens(text)?;
    let rest = tokens.into_iter().peekable();
    let mut reader = Reader { rest, language, names: Vec::new(), conditions: Vec::new() };
    let mut patterns = Vec::new();
    while reader.rest.peek().is_some() {
        let nodes = reader.nodes()?;
        let conditions = std::mem::take(&mut reader.conditions);
        patterns.push(Pattern { number: patterns.len(), nodes, conditions });
    }
    Ok((patterns, reader.names))
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let (mut all, mut rest) = (Vec::new(), text.trim_start());
    while let Some(first) = rest.chars().next() {
        let is_name = |c: char| c.is_alphanumeric() || "_-?".contains(c);
        let name = |from: usize| {
            let end = rest[from..].find(|c| !is_name(c)).map_or(rest.len(), |end| from + end);
            (rest[from..end].to_owned(), end)
        };
        let end = match first {
            ';' => rest.find('\n').unwrap_or(rest.len()),
            '(' | ')' | '[' | ']' | '.' | '!' => {
                all.push(Token::Mark(first));
                1
            }
            '"' => {
                let end = rest[1..].find('"').ok_or("a text without an end")?;
                all.push(Token::Text(rest[1..=end].to_owned()));
                end + 2
            }
            '@' | '#' => {
                let (name, end) = name(1);
                all.push(if first == '@' { Token::Capture(name) } else { Token::Condition(name) });
                end
            }
            _ => match name(0) {
                (_, 0) => return Err(format!("`{first}`")),
                (name, end) if rest[end..].starts_with(':') => {
                    all.push(Token::Field(name));
                    end + 1
                }
                (name, end) => {
                    all.push(Token::Name(name));
                    end
                }
            },
        };
        rest = rest[end..].trim_start();
    }
    Ok(all)
}

struct Reader<'a> {
    rest: Peekable<std::vec::IntoIter<Token>>,
    language: &'a Language,
    names: Vec<String>,
    /// Those of the pattern that is being read.
    conditions: Vec<Condition>,
}

impl Reader<'_> {
    fn next(&mut self) -> Result<Token, String> {
        self.rest.next().ok_or_else(|| "a pattern without an end".to_owned())
    }

    fn is_next(&mut self, mark: char) -> bool {
        self.rest.next_if_eq(&Token::Mark(mark)).is_some()
    }

    /// One node, or several to choose from.
    fn nodes(&mut self) -> Result<Vec<Shape>, String> {
        let mut nodes = match self.next()? {
            Token::Mark('[') => {
                let mut all = Vec::new();
                while !self.is_next(']') {
                    all.extend(self.nodes()?);
                }
                all
            }
            Token::Mark('(') => match self.next()? {
                Token::Name(name) => vec![self.node(&name)?],
                // A pattern with conditions behind it.
                Token::Mark('(') => {
                    let Token::Name(name) = self.next()? else { return Err("`((`".to_owned()) };
                    let mut node = self.node(&name)?;
                    self.captures(&mut node)?;
                    while self.is_next('(') {
                        self.condition()?;
                    }
                    if !self.is_next(')') {
                        return Err("several nodes in one pattern".to_owned());
                    }
                    vec![node]
                }
                token => return Err(format!("{token:?}")),
            },
            Token::Text(text) => vec![Shape::new(Kind::Only(self.kind(&text, false)?))],
            Token::Name(name) if name == "_" => vec![Shape::new(Kind::Any)],
            token => return Err(format!("{token:?}")),
        };
        let mut captured = Shape::new(Kind::Any);
        self.captures(&mut captured)?;
        nodes.iter_mut().for_each(|node| node.captures.extend(&captured.captures));
        Ok(nodes)
    }

    fn captures(&mut self, node: &mut Shape) -> Result<(), String> {
        while let Some(Token::Capture(_)) = self.rest.peek() {
            let Token::Capture(name) = self.next()? else { continue };
            node.captures.push(self.capture(name));
        }
        Ok(())
    }

    fn capture(&mut self, name: String) -> usize {
        self.names.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        })
    }

    /// A node from behind its name to its end.
    fn node(&mut self, name: &str) -> Result<Shape, String> {
        let kind = match name {
            "_" => Kind::AnyNamed,
            "ERROR" => Kind::Only(ERROR),
            name => Kind::Only(self.kind(name, true)?),
        };
        let (mut node, mut is_next) = (Shape::new(kind), false);
        loop {
            let mut field = None;
            match self.rest.peek() {
                Some(Token::Mark(')')) => {
                    node.is_last = is_next;
                    self.next()?;
                    return Ok(node);
                }
                Some(Token::Mark('.')) => {
                    is_next = true;
                    self.next()?;
                    continue;
                }
                Some(Token::Mark('!')) => {
                    self.next()?;
                    let Token::Name(name) = self.next()? else { return Err("`!`".to_owned()) };
                    node.without.push(self.field(&name)?);
                    continue;
                }
                Some(Token::Field(name)) => {
                    let name = name.clone();
                    field = Some(self.field(&name)?);
                    self.next()?;
                }
                _ => {}
            }
            let mut ahead = self.rest.clone();
            if ahead.next() == Some(Token::Mark('('))
                && matches!(ahead.next(), Some(Token::Condition(_)))
            {
                self.next()?;
                self.condition()?;
                continue;
            }
            let nodes = self.nodes()?;
            node.children.push(Child { nodes, field, is_next: std::mem::take(&mut is_next) });
        }
    }

    /// A condition from behind its parenthesis to its end.
    fn condition(&mut self) -> Result<(), String> {
        let (Token::Condition(what), Token::Capture(name)) = (self.next()?, self.next()?) else {
            return Err("a condition without a name".to_owned());
        };
        let mut texts = Vec::new();
        while !self.is_next(')') {
            let Token::Text(text) = self.next()? else { return Err(format!("`#{what}`")) };
            texts.push(text);
        }
        let text = match (&*what, texts.as_slice()) {
            ("eq?", [_]) | ("any-of?", _) => Text::OneOf(texts),
            ("match?", [regex]) => Text::Like(Regex::new(regex).map_err(|e| e.to_string())?),
            _ => return Err(format!("`#{what}`")),
        };
        let capture = self.capture(name);
        self.conditions.push(Condition { capture, text });
        Ok(())
    }

    fn kind(&self, name: &str, named: bool) -> Result<u16, String> {
        let kind = self.language.id_for_node_kind(name, named);
        if kind == 0 || self.language.node_kind_is_supertype(kind) {
            return Err(format!("no node is a `{name}`"));
        }
        Ok(kind)
    }

    fn field(&self, name: &str) -> Result<NonZeroU16, String> {
        self.language.field_id_for_name(name).ok_or_else(|| format!("no field `{name}`"))
    }
}

impl Shape {
    fn new(kind: Kind) -> Self {
        Self {
            kind,
            captures: Vec::new(),
            without: Vec::new(),
            children: Vec::new(),
            is_last: false,
        }
    }
}
