//! (being written)
/// x
pub fn diff(_path_old: &str, _path_new: &str, _before: &[u8], _after: &[u8]) -> String {
    String::new()
}
