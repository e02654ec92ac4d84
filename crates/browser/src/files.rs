//! What pages give: files that they have the browser download, on their way into the project.

use fault::visible;

use crate::engine::Engine;
use crate::world::{Download, MOST_DOWNLOADED, Progress};

/// Longest name of a file, in bytes, which leaves room for a number before the ending.
const NAME: usize = 200;

/// A file that a page gave.
#[derive(Clone, Debug)]
pub struct Downloaded {
    /// A name without a directory, for which the page was asked.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Takes the downloads of a context that are over: those that came whole, and what is said of the
/// others.
pub(crate) fn take(engine: &Engine, context: &str) -> (Vec<Downloaded>, Vec<String>) {
    let (mut files, mut says) = (Vec::new(), Vec::new());
    let Some(own) = &engine.own else {
        // What the person shares is everybody's.
        let is_own =
            |one: &mut Download| one.context.as_ref().is_none_or(|c| c.is_empty() || c == context);
        let all: Vec<_> =
            engine.cdp.world(|world| world.downloads.extract_if(.., is_own).collect());
        let kept =
            |one| format!("the user's browser keeps {} where it keeps its downloads", name(one));
        return (files, all.iter().map(kept).collect());
    };
    // Of one whose tab is not known, its file tells whose it is.
    let mine = |one: &Download| match &one.context {
        Some(of) => of == context,
        None => {
            one.state == Progress::Complete
                && matches!(own.scratch.read(&place(context, one), 0), Ok(Some(_)))
        }
    };
    let over: Vec<Download> = engine.cdp.world(|world| {
        for one in world.downloads.iter().filter(|one| one.state == Progress::Coming && mine(one)) {
            says.push(format!("{} is being downloaded: {} bytes so far", name(one), one.bytes));
        }
        let over = |one: &mut Download| one.state != Progress::Coming && mine(one);
        world.downloads.extract_if(.., over).collect()
    });
    for one in over {
        match one.state {
            Progress::Broken => says.push(format!("the download of {} broke off", name(&one))),
            Progress::TooLarge => says.push(too_large(&name(&one))),
            _ => match own.scratch.read(&place(context, &one), MOST_DOWNLOADED + 1) {
                Ok(Some(bytes)) if bytes.len() as u64 > MOST_DOWNLOADED => {
                    says.push(too_large(&name(&one)));
                }
                Ok(Some(bytes)) => files.push(Downloaded { name: name(&one), bytes }),
                Ok(None) => says.push(format!("the file of the download {} is gone", name(&one))),
                Err(error) => says.push(error.message),
            },
        }
    }
    (files, says)
}

fn too_large(name: &str) -> String {
    format!("{name} is larger than {MOST_DOWNLOADED} bytes and was not kept")
}

/// Where the browser puts it.
fn place(context: &str, download: &Download) -> String {
    format!("{context}/{}", download.id)
}

/// The name of a download without what would make it more than the name of a visible file.
fn name(download: &Download) -> String {
    let last = download.name.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain: String = visible(last).chars().filter(|c| !c.is_control()).collect();
    let plain = plain.trim_matches(|c: char| c == '.' || c.is_whitespace());
    let cut = &plain[..plain.floor_char_boundary(NAME)];
    if cut.is_empty() { "download".to_owned() } else { cut.to_owned() }
}
