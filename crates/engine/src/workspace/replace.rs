//! (being written)
/// x
#[derive(Debug)]
pub(crate) struct Meta;
/// x
#[derive(Debug)]
pub(crate) struct Saved;
