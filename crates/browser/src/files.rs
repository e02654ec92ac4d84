//! What pages give: files that they have the browser download, on their way into the project.

use fault::visible;

use crate::engine::Engine;
use crate::world::{Download, Progress};

/// Largest file that is brought into the project, in bytes: it is held in memory.
const BYTES: u64 = 64 << 20;

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

/// Takes the downloads that are over and belong to a context: those that came whole, and what is
/// said of the others.
pub(crate) fn take(engine: &Engine, context: &str) -> (Vec<Downloaded>, Vec<String>) {
    let (mut files, mut says) = (Vec::new(), Vec::new());
    let Some(own) = &engine.own else {
        let all = engine.cdp.world(|world| std::mem::take(&mut world.downloads));
        let kept =
            |one| format!("the user's browser keeps {} where it keeps its downloads", name(one));
        return (files, all.iter().map(kept).collect());
    };
    let over = engine.cdp.world(|world| {
        let (over, coming): (Vec<Download>, Vec<Download>) =
            world.downloads.drain(..).partition(|one| one.state != Progress::Coming);
        world.downloads = coming;
        for one in &world.downloads {
            says.push(format!("{} is being downloaded: {} bytes so far", name(one), one.bytes));
        }
        over
    });
    for one in over {
        if one.state == Progress::Broken {
            says.push(format!("the download of {} broke off", name(&one)));
            continue;
        }
        match own.scratch.read(&format!("{context}/{}", one.id), BYTES + 1) {
            Ok(Some(bytes)) if bytes.len() as u64 > BYTES => {
                says.push(format!("{} is larger than {BYTES} bytes and was not kept", name(&one)));
            }
            Ok(Some(bytes)) => files.push(Downloaded { name: name(&one), bytes }),
            Ok(None) => engine.cdp.world(|world| world.downloads.push(one)), // another session's
            Err(error) => says.push(error.message),
        }
    }
    (files, says)
}

/// The name of a download without what would make it more than the name of a visible file.
fn name(download: &Download) -> String {
    let last = download.name.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain: String = visible(last).chars().filter(|c| !c.is_control()).collect();
    let plain = plain.trim_matches(|c: char| c == '.' || c.is_whitespace());
    let cut = &plain[..plain.floor_char_boundary(NAME)];
    if cut.is_empty() { "download".to_owned() } else { cut.to_owned() }
}
