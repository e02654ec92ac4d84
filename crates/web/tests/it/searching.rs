use web::{Backend, Client, Freshness, Kind, Query, Settings};

use crate::site::{Site, gone, whole};
use crate::{fails, never};

const QUERY: Query<'_> = Query { text: "rust & c++", count: 2, freshness: None, language: None };

fn client(search: Backend) -> Client {
    Client::new(Settings { search: Some(search), ..Settings::default() })
}

fn json(body: &'static str) -> Site {
    Site::start(move |_, _| whole("200 OK", &["Content-Type: application/json"], body.as_bytes()))
}

#[test]
fn without_an_engine_nothing_is_found_and_nothing_invented() {
    let message = fails(Client::default().search(&QUERY, &never), Kind::NoBackend);
    assert!(message.contains("KITBAG_WEB_SEARCH"), "{message}");
}

#[test]
fn searxng_is_asked_and_understood_also_on_this_machine() {
    let site = json(
        r#"{"results": [{"title": "A &amp; B", "url": "https://a.example/", "content": "<b>one</b>  two"},
            {"title": "no url"}, {"title": "C", "url": "https://c.example/"}, {"title": "D", "url": "https://d.example/"}],
            "unresponsive_engines": []}"#,
    );
    let client = client(Backend::Searxng(site.url("/")));
    let query = Query { freshness: Some(Freshness::Week), language: Some("de"), ..QUERY };
    let hits = client.search(&query, &never).unwrap();
    let shown: Vec<_> = hits.iter().map(|h| (&*h.title, &*h.url, &*h.snippet)).collect();
    assert_eq!(
        shown,
        [("A & B", "https://a.example/", "one two"), ("C", "https://c.example/", "")]
    );
    assert_eq!(
        site.asked(),
        ["GET /search?q=rust+%26+c%2B%2B&format=json&language=de&time_range=week HTTP/1.1"]
    );
    fails(client.fetch(&site.url("/"), false, &never), Kind::AddressRefused);
}

#[test]
fn an_engine_that_fails_has_found_nothing() {
    for body in [
        "<html>forbidden</html>",
        "{}",
        r#"{"results": [], "unresponsive_engines": [["google", "timeout"]]}"#,
    ] {
        let client = client(Backend::Searxng(json(body).url("")));
        fails(client.search(&QUERY, &never), Kind::Search);
    }
    let site = Site::start(|_, _| gone());
    fails(client(Backend::Searxng(site.url("/"))).search(&QUERY, &never), Kind::Search);
    let nothing = json(r#"{"results": []}"#);
    assert_eq!(client(Backend::Searxng(nothing.url("/"))).search(&QUERY, &never), Ok(vec![]));
    let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let nobody = client(Backend::Searxng(format!("http://127.0.0.1:{unused}")));
    fails(nobody.search(&QUERY, &never), Kind::Search);
}

#[test]
fn brave_gets_its_key_and_nobody_else_does() {
    let inner = Site::start(|asked, _| {
        assert!(!asked.head.contains("sesame"), "{}", asked.head);
        whole("200 OK", &[], br#"{"type": "search"}"#)
    });
    let elsewhere = inner.url("/");
    let site = Site::start(move |asked, _| {
        assert!(asked.head.contains("x-subscription-token: sesame"), "{}", asked.head);
        match asked.path() {
            "/away?q=rust+%26+c%2B%2B&count=2" => crate::site::redirect("302 Found", &elsewhere),
            _ => whole("200 OK", &[], br#"{"type": "search", "web": {"results": [
                {"title": "A", "url": "https://a.example/", "description": "<strong>x</strong>"}]}}"#),
        }
    });
    let backend = |path: &str| Backend::Brave { base: site.url(path), key: "sesame".to_owned() };
    assert!(!format!("{:?}", backend("/")).contains("sesame"));
    let query = Query { freshness: Some(Freshness::Year), language: Some("en"), ..QUERY };
    let hits = client(backend("/s")).search(&query, &never).unwrap();
    assert_eq!((&*hits[0].title, &*hits[0].snippet), ("A", "x"));
    assert_eq!(
        site.asked(),
        ["GET /s?q=rust+%26+c%2B%2B&count=2&search_lang=en&freshness=py HTTP/1.1"]
    );
    let settings =
        Settings { allow: inner.allowed(), search: Some(backend("/away")), ..Settings::default() };
    assert_eq!(Client::new(settings).search(&QUERY, &never), Ok(vec![]));
}

#[test]
fn duckduckgo_is_read_from_its_page_and_a_riddle_is_no_answer() {
    const RESULTS: &str = r#"<div class="result results_links result--ad"><a class="result__a" href="https://ad.example/">Ad</a></div>
        <div class="result"><h2><a class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F%3Fx%3D1&amp;rut=abc">A <b>title</b></a></h2>
        <a class="result__snippet" href="x">Some
          <b>words</b></a></div>"#;
    let page = |body: &'static str| {
        let site =
            Site::start(move |_, _| whole("200 OK", &["Content-Type: text/html"], body.as_bytes()));
        let found = client(Backend::DuckDuckGo { base: site.url("/html/") })
            .search(&Query { freshness: Some(Freshness::Day), ..QUERY }, &never);
        (found, site.asked())
    };
    let (found, asked) = page(RESULTS);
    let hit = found.unwrap().remove(0);
    assert_eq!(
        (&*hit.title, &*hit.url, &*hit.snippet),
        ("A title", "https://a.example/?x=1", "Some words")
    );
    assert_eq!(asked, ["GET /html/?q=rust+%26+c%2B%2B&df=d HTTP/1.1"]);
    assert_eq!(page(r#"<div class="no-results">No results.</div>"#).0, Ok(vec![]));
    fails(page("<form id='challenge-form'>Select all ducks</form>").0, Kind::Search);
    let query = Query { language: Some("en"), ..QUERY };
    let message = fails(client(Backend::duckduckgo()).search(&query, &never), Kind::Unsupported);
    assert!(message.starts_with("language: "), "{message}");
}
