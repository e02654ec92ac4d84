use super::{stem, words};

fn split(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    words(text, |word| all.push(word.to_owned()));
    all
}

#[test]
fn identifiers_are_cut_at_case_digits_and_underscore() {
    assert_eq!(
        split("parseHTTPHeader_v2(utf8)"),
        ["parse", "http", "header", "v", "2", "utf", "8"]
    );
    assert_eq!(split("GLMClient XMLHttpRequest"), ["glm", "client", "xml", "http", "request"]);
    assert_eq!(split("größteÜberschrift"), ["größte", "überschrift"]);
    assert_eq!(split("読む file"), ["読", "む", "file"]);
    assert_eq!(split(&"a".repeat(41)), Vec::<String>::new());
}

#[test]
fn words_that_belong_together_have_one_stem() {
    let pairs = [
        ("parse", "parsing"),
        ("parses", "parsed"),
        ("entry", "entries"),
        ("stop", "stopping"),
        ("file", "files"),
        ("cache", "caching"),
        ("fill", "filled"),
    ];
    for (a, b) in pairs {
        let whole = |word| {
            let (stem, ending) = stem(word);
            format!("{stem}{ending}")
        };
        assert_eq!(whole(a), whole(b));
    }
    for word in ["string", "class", "status", "bus", "is", "red", "need"] {
        assert_eq!(stem(word).0, word);
    }
}
