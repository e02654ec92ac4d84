//! (being written)
/// x
#[derive(Debug, Default)]
pub struct Settings {}
/// x
#[derive(Debug)]
pub struct Runner {}
impl Runner {
    /// x
    pub fn new(_s: Settings, _st: crate::State, _id: &str) -> Self {
        Self {}
    }
}
