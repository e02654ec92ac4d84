//! Failures of searching by words and of reading symbols.

use super::{Code, Error};

impl Error {
    /// The files of a root cannot be listed any more.
    pub fn index_not_built(root: &str, why: &Self) -> Self {
        Self::new(
            Code::IndexNotBuilt,
            format!("{root}: cannot read its files for the index ({why}); check that the directory is there"),
        )
        .with("path", root)
    }

    /// The file is in no language whose symbols are known.
    pub fn no_symbols(path: &str, why: &str) -> Self {
        Self::invalid_input("path", format!("{path}: {why}; search it as text instead"))
    }

    /// No definition of this name at a path; `near` are names that it has.
    pub fn undefined(path: &str, name: &str, near: &[String]) -> Self {
        let advice = match near {
            [] => "search for it as text".to_owned(),
            near => format!("did you mean `{}`?", near.join("` or `")),
        };
        let name = super::cut(name, 200);
        Self::new(Code::StringNotFound, format!("{path}: defines no `{name}`; {advice}"))
            .with("path", path)
            .with("name", name)
            .with_near(near)
    }
}
