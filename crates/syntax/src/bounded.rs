//! Parsing within bounds of memory.
//!
//! A few kilobytes of broken code, made for that, let the parser take gigabytes in a step that
//! asks nobody whether to go on. `bounded/bounded.c` counts what a parse takes, and leaves it.

#![expect(unsafe_code, reason = "the allocator of the parser can be set only so")]

use std::ffi::{c_char, c_void};
use std::sync::Once;

use tree_sitter::ffi::{TSLanguage, TSTree};
use tree_sitter::{Language, Tree};

/// What any parse may take.
const MEMORY: usize = 64 << 20;
/// What a parse may take more for each byte of the source. Real sources take 20 to 100.
const MEMORY_PER_BYTE: usize = 128;

unsafe extern "C" {
    fn bounded_install();
    fn bounded_parse(
        language: *const TSLanguage,
        source: *const c_char,
        length: u32,
        most: usize,
        stop: unsafe extern "C" fn(*mut c_void) -> bool,
        payload: *mut c_void,
        full: *mut bool,
    ) -> *mut TSTree;
}

/// Why there is no tree.
pub(crate) enum Left {
    /// `stop` said so.
    Stopped,
    /// It took too much memory.
    Full,
}

/// To be called before anything else of the parser.
pub(crate) fn install() {
    static ONCE: Once = Once::new();
    // SAFETY: the functions are one family and give no null; nothing of the parser exists before
    // the first grammar is compiled, which begins with this.
    ONCE.call_once(|| unsafe { bounded_install() });
}

pub(crate) fn parse(
    language: &Language,
    source: &[u8],
    mut stop: &dyn Fn() -> bool,
) -> Result<Tree, Left> {
    let most = MEMORY + MEMORY_PER_BYTE * source.len();
    let mut full = false;
    let language = language.clone().into_raw();
    // SAFETY: all pointers are good until the call returns, and it keeps none of them; the sources
    // are shorter than 4 GiB. The language is given back as it was taken; the tree is ours.
    unsafe {
        let tree = bounded_parse(
            language,
            source.as_ptr().cast(),
            source.len() as u32,
            most,
            ask,
            (&raw mut stop).cast(),
            &raw mut full,
        );
        drop(Language::from_raw(language));
        if tree.is_null() {
            return Err(if full { Left::Full } else { Left::Stopped });
        }
        Ok(Tree::from_raw(tree))
    }
}

/// Whether to stop.
unsafe extern "C" fn ask(stop: *mut c_void) -> bool {
    // SAFETY: what `parse` above gave, which waits for the answer.
    let stop = unsafe { *stop.cast::<&dyn Fn() -> bool>() };
    stop()
}
