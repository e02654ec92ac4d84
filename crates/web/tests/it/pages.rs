use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use web::{Client, Kind};

use crate::site::{Site, gone, redirect, whole};
use crate::{client, fails, full, never};

/// A site of pages by path, without a `robots.txt`.
fn pages(all: &'static [(&'static str, &'static str, &'static [u8])]) -> (Site, Client) {
    let site = Site::start(move |asked, _| {
        let page = all.iter().find(|(path, ..)| *path == asked.path());
        page.map_or_else(gone, |(_, kind, body)| {
            let header = format!("Content-Type: {kind}");
            let headers = if kind.is_empty() { vec![] } else { vec![header.as_str()] };
            whole("200 OK", &headers, body)
        })
    });
    let client = client(&site.allowed());
    (site, client)
}

#[test]
fn the_encoding_is_that_of_the_mark_the_header_or_the_page() {
    let (site, client) = pages(&[
        ("/header", "text/plain; charset=ISO-8859-1", b"caf\xe9"),
        ("/quoted", "text/plain; Charset=\"windows-1251\"", b"\xcf\xf0\xe8\xe2\xe5\xf2"),
        ("/mark", "text/plain; charset=ISO-8859-1", b"\xef\xbb\xbfcaf\xc3\xa9"),
        ("/utf16", "text/plain", b"\xff\xfec\0a\0f\0\xe9\0"),
        ("/meta", "text/html", b"<meta charset=\"shift_jis\"><p>\x93\xfa\x96{"),
        (
            "/equiv",
            "text/html",
            b"<meta http-equiv=Content-Type content='text/html; charset=koi8-r'><p>\xf0\xf2",
        ),
        ("/none", "text/plain", b"na\xc3\xafve \xc3\xbcn\xc3\xafcode"),
        ("/wrong", "text/plain; charset=utf-8", b"caf\xe9"),
        ("/unknown", "text/plain; charset=klingon", b"Gr\xc3\xb6\xc3\x9fe"),
    ]);
    let read = |path: &str| client.fetch(&site.url(path), false, &never).unwrap().text.clone();
    assert_eq!(read("/header"), "café");
    assert_eq!(read("/quoted"), "Привет");
    assert_eq!(read("/mark"), "café");
    assert_eq!(read("/utf16"), "café");
    assert_eq!(read("/meta"), "日本");
    assert_eq!(read("/equiv"), "ПР");
    assert_eq!(read("/none"), "naïve ünïcode");
    assert_eq!(read("/unknown"), "Größe");
    let wrong = client.fetch(&site.url("/wrong"), false, &never).unwrap();
    assert_eq!((wrong.text.as_str(), wrong.damaged), ("caf\u{fffd}", Some("UTF-8")));
}

#[test]
fn a_page_becomes_markdown_with_whole_links_and_nothing_silent() {
    let (site, client) = pages(&[(
        "/dir/page",
        "text/html; charset=utf-8",
        b"<!doctype html><title> A  page </title><style>p{}</style><script>alert(1)</script>
          <h1>Head</h1><p>Text &amp; <b>bold</b> <a href='../x?a=1#b'>link</a>
          <a href='javascript:alert(1)'>bad</a> <img alt='i' src='data:image/png;base64,AAAA'></p>
          <pre><code>let a = 1;\n  let b;</code></pre><table><tr><th>k<th>v<tr><td>1<td>2</table>",
    )]);
    let page = client.fetch(&site.url("/dir/page"), false, &never).unwrap();
    assert_eq!(page.title, "A page");
    let link = format!("[link]({})", site.url("/x?a=1#b"));
    for part in ["# Head", "Text & **bold**", &link, "let a = 1;\n  let b;", "| 1"] {
        assert!(page.text.contains(part), "{part} is not in {}", page.text);
    }
    for part in ["alert", "p{}", "base64", "A page"] {
        assert!(!page.text.contains(part), "{part} is in {}", page.text);
    }
    assert_eq!(page.length, page.text.chars().count());
}

#[test]
fn an_article_comes_without_the_menus_around_it() {
    let site = Site::start(|_, _| {
        let line = "A sentence of the article, with commas, and long enough to be one. ";
        let text = format!("<p>{}</p>", line.repeat(6)).repeat(6);
        let menu = "<li><a href='/m'>Menu entry</a></li>".repeat(30);
        let page = format!(
            "<html><body><nav><ul>{menu}</ul></nav><article><h1>News</h1>{text}</article><footer>Imprint</footer></body></html>"
        );
        whole("200 OK", &["Content-Type: text/html"], page.as_bytes())
    });
    let page = client(&site.allowed()).fetch(&site.url("/"), false, &never).unwrap();
    assert!(page.is_article);
    assert!(page.text.contains("A sentence of the article"));
    assert!(!page.text.contains("Menu entry"), "{}", page.text);
}

#[test]
fn json_is_given_as_it_came() {
    let (site, client) = pages(&[
        (
            "/a",
            "application/json",
            br#"{"b":[1,2.50e1,12345678901234567890123],"a":{},"c":[ ],"s":"a{\",b","b":"twice"}"#,
        ),
        ("/broken", "application/problem+json", b"{\"a\": "),
    ]);
    let read = |path: &str| client.fetch(&site.url(path), false, &never).unwrap().text.clone();
    let came =
        r#"{"b":[1,2.50e1,12345678901234567890123],"a":{},"c":[ ],"s":"a{\",b","b":"twice"}"#;
    assert_eq!(read("/a"), came);
    assert_eq!(read("/broken"), "{\"a\": ");
}

#[test]
fn what_is_no_text_is_said_and_not_shown() {
    let (site, client) = pages(&[
        ("/png", "image/png", b"\x89PNG\r\n\x1a\n\0\0"),
        ("/pdf", "application/pdf", b"%PDF-1.7"),
        ("/data", "application/octet-stream", b"a\0b\0\x01\x02"),
        ("/nothing", "", b"\x7fELF\x02\x01\x01\0\0\0"),
        ("/empty", "text/html", b""),
        ("/svg", "image/svg+xml", b"<svg/>"),
        ("/plain", "", b"just text"),
        ("/page", "", b"<!DOCTYPE html><p>text"),
    ]);
    for path in ["/png", "/pdf", "/data", "/nothing"] {
        let message = fails(client.fetch(&site.url(path), false, &never), Kind::NotText);
        assert!(message.contains("download"), "{message}");
    }
    let read = |path: &str| client.fetch(&site.url(path), false, &never).unwrap().text.clone();
    assert_eq!(read("/empty"), "");
    assert_eq!(read("/svg"), "<svg/>");
    assert_eq!(read("/plain"), "just text");
    assert_eq!(read("/page"), "text");
}

#[test]
fn a_status_that_says_failure_is_a_failure() {
    let site = Site::start(|asked, _| match asked.path() {
        "/500" => whole("500 Internal Server Error", &["Content-Type: text/html"], b"<p>sorry"),
        "/403" => whole("403 Forbidden", &[], b""),
        "/304" => whole("304 Not Modified", &[], b""),
        _ => gone(),
    });
    let client = client(&site.allowed());
    for (path, status) in [("/500", 500), ("/403", 403), ("/gone", 404), ("/304", 304)] {
        let error = client.fetch(&site.url(path), false, &never).unwrap_err();
        assert_eq!((error.kind, error.status), (Kind::Status, Some(status)), "{error}");
        assert!(error.message.contains(&status.to_string()), "{error}");
    }
}

#[test]
fn redirects_are_followed_counted_and_told() {
    let site = Site::start(|asked, _| match asked.path() {
        "/a" => redirect("301 Moved Permanently", "/b"),
        "/b" => redirect("302 Found", "c?x#y"),
        "/c?x" => whole("200 OK", &["Content-Type: text/plain"], b"here"),
        "/round" => redirect("302 Found", "/round"),
        "/who" => redirect("302 Found", &format!("http://me:pw@127.0.0.1:{}/c?x", port_of(asked))),
        _ => gone(),
    });
    let client = client(&site.allowed());
    let page = client.fetch(&site.url("/a"), false, &never).unwrap();
    assert_eq!((page.text.as_str(), page.url.as_str()), ("here", &*site.url("/c?x#y")));
    let hops: Vec<_> = page.hops.iter().map(|hop| (hop.url.as_str(), hop.status)).collect();
    assert_eq!(hops, [(&*site.url("/a"), 301), (&*site.url("/b"), 302)]);
    assert!(!page.downgraded);
    fails(client.fetch(&site.url("/round"), false, &never), Kind::Redirects);
    let page = client.fetch(&site.url("/who"), false, &never).unwrap();
    assert!(!page.url.contains("pw"), "{}", page.url);
}

fn port_of(asked: &crate::site::Asked) -> String {
    let host = asked.head.lines().find(|l| l.to_lowercase().starts_with("host:")).unwrap();
    host.rsplit(':').next().unwrap().trim().to_owned()
}

#[test]
fn a_few_bytes_that_become_many_are_stopped() {
    let bomb = |size: usize| {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        let zeros = vec![b'a'; 1 << 20];
        (0..size >> 20).for_each(|_| out.write_all(&zeros).unwrap());
        out.finish().unwrap()
    };
    let (small, large) = (bomb(1 << 20), bomb(256 << 20));
    assert!(large.len() < 1 << 20);
    let site = Site::start(move |asked, _| {
        let body = if asked.path() == "/small" { &small } else { &large };
        whole("200 OK", &["Content-Type: text/plain", "Content-Encoding: gzip"], body)
    });
    let client = client(&site.allowed());
    assert_eq!(client.fetch(&site.url("/small"), false, &never).unwrap().length, 1 << 20);
    fails(client.fetch(&site.url("/large"), false, &never), Kind::TooLarge);
}

#[test]
fn a_body_that_is_too_large_or_has_no_end_is_stopped() {
    let site = Site::start(|asked, stream| {
        if asked.path() == "/declared" {
            return b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 10737418240\r\n\r\nabc".to_vec();
        }
        let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n";
        let chunk = [b'x'; 65_536];
        let _ = stream.write_all(head);
        while stream.write_all(&chunk).is_ok() {}
        Vec::new()
    });
    let client = client(&site.allowed());
    let message = fails(client.fetch(&site.url("/declared"), false, &never), Kind::TooLarge);
    assert!(message.contains("10737418240"), "{message}");
    fails(client.fetch(&site.url("/endless"), false, &never), Kind::TooLarge);
}

#[test]
fn an_answer_that_breaks_off_is_no_page() {
    let (site, client) = pages(&[]);
    drop((site, client));
    let site = Site::start(|asked, _| {
        match asked.path() {
        "/short" => b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nabc".to_vec(),
        "/chunk" => b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab".to_vec(),
        "/gzip" => whole("200 OK", &["Content-Type: text/plain", "Content-Encoding: gzip"], b"no gzip"),
        "/noise" => b"\x00\x01\x02\x03 not http\r\n\r\n".to_vec(),
        "/robots.txt" => gone(),
        _ => Vec::new(),
    }
    });
    let client = crate::client(&site.allowed());
    for path in ["/short", "/chunk", "/gzip", "/noise", "/silent-end"] {
        fails(client.fetch(&site.url(path), false, &never), Kind::Network);
    }
    let closed = Site::start(|_, _| Vec::new());
    let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let client = crate::client(&["127.0.0.1".to_owned()]);
    fails(client.fetch(&format!("http://127.0.0.1:{unused}/"), false, &never), Kind::Network);
    drop(closed);
}

#[test]
fn a_server_that_stalls_or_dribbles_is_not_waited_for() {
    let site = Site::start(|asked, stream| {
        if asked.path() == "/robots.txt" {
            return gone();
        }
        let _ = stream.write_all(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5000\r\n\r\n",
        );
        if asked.path() == "/dribble" {
            while stream.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(300));
            }
        }
        std::thread::sleep(Duration::from_secs(60));
        Vec::new()
    });
    let client = client(&site.allowed());
    let began = Instant::now();
    let message = fails(client.fetch(&site.url("/stall"), false, &never), Kind::Timeout);
    assert!(message.contains("silent"), "{message}");
    let message = fails(client.fetch(&site.url("/dribble"), false, &never), Kind::Timeout);
    assert!(message.contains("8 s"), "{message}");
    assert!(began.elapsed() < Duration::from_secs(40));
    let began = Instant::now();
    let stop = || began.elapsed() > Duration::from_millis(300);
    fails(client.fetch(&site.url("/stall"), false, &stop), Kind::Stopped);
    assert!(began.elapsed() < Duration::from_secs(2));
}

#[test]
fn what_a_site_asks_of_robots_is_honoured_and_asked_once() {
    let site = Site::start(|asked, _| match asked.path() {
        "/robots.txt" => whole(
            "200 OK",
            &[],
            b"User-agent: *\nDisallow: /private\n\nUser-agent: Kitbag\nDisallow: /not-kitbag\n",
        ),
        _ => whole("200 OK", &["Content-Type: text/plain"], b"fine"),
    });
    let polite = client(&site.allowed());
    assert_eq!(polite.fetch(&site.url("/private"), false, &never).unwrap().text, "fine");
    let message = fails(polite.fetch(&site.url("/not-kitbag/x"), false, &never), Kind::Robots);
    assert!(message.contains("robots.txt"), "{message}");
    assert_eq!(site.asked(), ["GET /private HTTP/1.1"]);
    let broken = Site::start(|asked, _| match asked.path() {
        "/robots.txt" => whole("503 Service Unavailable", &[], b""),
        _ => whole("200 OK", &["Content-Type: text/plain"], b"fine"),
    });
    let polite = client(&broken.allowed());
    fails(polite.fetch(&broken.url("/"), false, &never), Kind::Robots);
    assert_eq!(
        polite.check(&broken.url("/"), &never).unwrap().status,
        200,
        "a check reads nothing"
    );
}

#[test]
fn a_page_of_a_thousand_layers_is_read_as_bare_text() {
    let site = Site::start(|asked, _| {
        let deep = match asked.path() {
            "/div" => "<div>".repeat(100_000),
            "/b" => "<b>".repeat(100_000),
            "/list" => "<ul><li>".repeat(50_000),
            _ => "<table><tr><td>".repeat(20_000),
        };
        let page = format!("<title>T</title>{deep}the bottom");
        whole("200 OK", &["Content-Type: text/html"], page.as_bytes())
    });
    let client = client(&site.allowed());
    for path in ["/div", "/b", "/list", "/table"] {
        let page = client.fetch(&site.url(path), false, &never).unwrap();
        assert!(page.text.contains("the bottom"), "{path}");
    }
}

#[test]
fn a_page_made_to_stall_or_end_the_reader_does_neither() {
    let site = Site::start(|asked, _| {
        let (kind, body) = match asked.path() {
            "/json" => ("application/json", "[".repeat(120 << 10)),
            "/text" => ("text/html", "&amp;".repeat((8 << 20) / 5 - 10)),
            "/quotes" => ("text/html", "<blockquote>".repeat(500) + &"<q>x".repeat(220_000)),
            "/attributes" => {
                let attributes: String = (0..100_000).map(|n| format!(" a{n}=b")).collect();
                ("text/html", format!("<p{attributes}>the bottom"))
            }
            _ => ("text/html", format!("<table>{}", "<td><table>x".repeat(100_000))),
        };
        whole("200 OK", &[&format!("Content-Type: {kind}")], body.as_bytes())
    });
    let client = full(&site.allowed());
    for path in ["/json", "/text", "/quotes", "/attributes", "/table"] {
        let began = Instant::now();
        let page = client.fetch(&site.url(path), false, &never).unwrap();
        assert!(!page.text.is_empty(), "{path}");
        assert!(began.elapsed() < Duration::from_secs(20), "{path}: {:?}", began.elapsed());
    }
}

#[test]
fn a_page_that_is_being_read_can_be_cancelled() {
    let site = Site::start(|_, _| {
        whole("200 OK", &["Content-Type: text/html"], "&amp;".repeat(1_600_000).as_bytes())
    });
    let began = Instant::now();
    let stop = || began.elapsed() > Duration::from_secs(2);
    fails(full(&site.allowed()).fetch(&site.url("/"), false, &stop), Kind::Stopped);
    assert!(began.elapsed() < Duration::from_secs(4));
}

#[test]
fn reading_on_goes_on_in_the_same_page() {
    let count = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let site = Site::start(move |_, _| {
        let n = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        whole("200 OK", &["Content-Type: text/plain"], format!("{n}").as_bytes())
    });
    let client = client(&site.allowed());
    let first = client.fetch(&site.url("/"), false, &never).unwrap();
    assert_eq!(client.fetch(&site.url("/"), true, &never).unwrap(), first);
    assert_ne!(client.fetch(&site.url("/"), false, &never).unwrap(), first);
    assert_ne!(client.fetch(&site.url("/other"), true, &never).unwrap(), first);
}
