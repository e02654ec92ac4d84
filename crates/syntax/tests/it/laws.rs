//! What holds for every language.

use syntax::{Grammars, Language};

#[test]
fn the_queries_of_every_language_compile() {
    let grammars = Grammars::default();
    for language in Language::ALL {
        let parsed = grammars.parse(language, b"", &|| false).unwrap();
        assert_eq!(parsed.symbols().unwrap(), []);
        assert_eq!(parsed.references(None).unwrap(), []);
    }
}
