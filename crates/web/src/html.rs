//! From a page to the text that a reader came for, as Markdown.

use dom_query::Document;
use dom_smoothie::{Config, Readability};
use html5ever::ParseOpts;
use html5ever::tendril::TendrilSink as _;
use html5ever::tree_builder::TreeBuilderOpts;
use isolate::Ended;
use url::Url;

use crate::Stop;
use crate::apart::apart;

/// Elements within elements, as deep as browsers go; the converters call themselves that deep.
const DEEPEST: usize = 512;

/// Enough for [`DEEPEST`] also without optimisation.
const STACK: usize = 64 << 20;

/// Pages with more elements are converted whole: finding the article in them takes too long.
const MOST_ELEMENTS: usize = 50_000;

/// What never is text for a reader.
const SILENT: &[&str] =
    &["script", "style", "noscript", "template", "svg", "iframe", "head", "canvas"];

/// The readable part of a page.
#[derive(Debug, Default)]
pub(crate) struct Readable {
    pub(crate) title: String,
    pub(crate) text: String,
    /// Whether menus and the like were left out.
    pub(crate) is_article: bool,
    /// Whether it could not be converted and its tags were only taken out.
    pub(crate) is_stripped: bool,
}

/// Reads a page, in a process of its own: pages can be made that take the converters hours, or all
/// memory. One that they cannot take is given as its bare text; `None` if nobody wants it any more.
pub(crate) fn readable(html: &str, url: &Url, stop: Stop<'_>) -> Option<Readable> {
    let work = || {
        let read = with_stack(|| convert(html, url))?;
        Some((read.title, read.text, read.is_article))
    };
    match apart(stop, work) {
        Ok(Some((title, text, is_article))) => {
            Some(Readable { title, text, is_article, is_stripped: false })
        }
        Err(Ended::Stopped) => None,
        Ok(None) | Err(_) => {
            let text = tidy(&stripped(html));
            Some(Readable { text, is_stripped: true, ..Readable::default() })
        }
    }
}

/// Runs work on a thread with [`STACK`]; `None` if there is no such thread.
fn with_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        thread.ok()?.join().ok()
    })
}

fn convert(html: &str, url: &Url) -> Readable {
    let document = parse(html);
    if is_too_deep(&document) {
        return bare(&document);
    }
    let title = title(&document);
    complete_links(&document, url);
    let whole = document.clone();
    let config = Config { max_elements_to_parse: MOST_ELEMENTS, ..Config::default() };
    let article = Readability::with_document(document, None, Some(config))
        .ok()
        .and_then(|mut r| if r.is_probably_readable() { r.parse().ok() } else { None });
    if let Some(article) = article
        && let Some(text) = markdown(&article.content).filter(|text| !text.is_empty())
    {
        let title = if title.is_empty() { article.title } else { title };
        return Readable { title, text, is_article: true, ..Readable::default() };
    }
    match markdown(&whole.html()) {
        Some(text) => Readable { title, text, ..Readable::default() },
        None => bare(&whole),
    }
}

/// The page as a tree.
fn parse(html: &str) -> Document {
    let tree_builder = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let options = ParseOpts { tree_builder, ..ParseOpts::default() };
    html5ever::parse_document(Document::default(), options).one(html)
}

/// The text between what looks like tags.
fn stripped(html: &str) -> String {
    let (before, rest) = html.split_once('<').unwrap_or((html, ""));
    let mut text = format!("{before}\n");
    for part in rest.split('<') {
        if let Some((_, after)) = part.split_once('>').filter(|(_, after)| !after.is_empty()) {
            text += after;
            text.push('\n');
        }
    }
    text
}

fn markdown(html: &str) -> Option<String> {
    let converter = htmd::HtmlToMarkdown::builder().skip_tags(SILENT.to_vec()).build();
    Some(tidy(&converter.convert(html).ok()?))
}

/// The text alone of a tree that is too deep for more.
fn bare(document: &Document) -> Readable {
    let mut text = String::new();
    let root = document.root();
    for node in root.descendants_it() {
        let silent = node.parent().and_then(|p| p.node_name());
        if node.is_text() && !silent.is_some_and(|name| SILENT.contains(&&*name)) {
            text += &node.immediate_text();
            text.push('\n');
        }
    }
    Readable { title: title(document), text: tidy(&text), ..Readable::default() }
}

fn title(document: &Document) -> String {
    let title = document.select_single("title").text();
    title.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_too_deep(document: &Document) -> bool {
    let mut waiting = vec![(document.root(), 0)];
    while let Some((node, depth)) = waiting.pop() {
        if depth > DEEPEST {
            return true;
        }
        waiting.extend(node.children_it(false).map(|child| (child, depth + 1)));
    }
    false
}

/// Links as a reader elsewhere needs them: whole. Pictures that are part of the page have no use.
fn complete_links(document: &Document, url: &Url) {
    let base = document.select_single("base[href]").attr("href");
    let base = base.and_then(|base| url.join(&base).ok()).unwrap_or_else(|| url.clone());
    for (selector, attribute) in [("a[href]", "href"), ("img[src]", "src")] {
        for node in document.select(selector).nodes() {
            let Some(link) = node.attr(attribute) else { continue };
            if link.starts_with("data:") || link.starts_with("javascript:") {
                node.remove_attr(attribute);
            } else if let Ok(whole) = base.join(&link) {
                node.set_attr(attribute, whole.as_str());
            }
        }
    }
}

/// No more than one empty line after another, and no space at the end of a line.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.lines().map(str::trim_end) {
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty <= 1 {
            out += line;
            out.push('\n');
        }
    }
    out.trim_matches('\n').to_owned()
}
