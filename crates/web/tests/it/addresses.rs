use std::net::IpAddr;
use std::time::Duration;

use web::{Client, Kind, Limits, Settings, refusal};

use crate::site::{Site, redirect, whole};
use crate::{client, fails, never};

/// Addresses of this machine, of networks, of nobody.
const REFUSED: &str = "0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254 168.63.129.16 \
    169.254.0.1 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 \
    192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 \
    240.0.0.1 255.255.255.255 :: ::1 ::7f00:1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 \
    ::ffff:169.254.169.254 64:ff9b::127.0.0.1 64:ff9b::a00:1 64:ff9b:1::1 100::1 2001::1 \
    2001:10::1 2001:db8::1 2002:7f00:1::1 2002:a00:1:: 2002:c0a8:101::1 3fff::1 5f00::1 fc00::1 \
    fd00:ec2::254 fdff::1 fe80::1 fec0::1 ff02::1 4000::1";

/// Addresses of the public internet, also in other clothes.
const REACHED: &str = "1.1.1.1 8.8.8.8 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 192.0.1.1 192.167.1.1 \
    198.17.0.1 198.20.0.1 223.255.255.255 2606:4700::1111 2a00:1450::1 2001:4860::8888 \
    2002:808:808::1 64:ff9b::8.8.8.8 ::ffff:8.8.8.8";

#[test]
fn only_addresses_of_the_public_internet_are_reached() {
    for address in REFUSED.split_whitespace() {
        assert!(refusal(address.parse().unwrap()).is_some(), "{address}");
    }
    for address in REACHED.split_whitespace() {
        assert_eq!(refusal(address.parse::<IpAddr>().unwrap()), None, "{address}");
    }
}

#[test]
fn however_a_url_spells_an_address_of_this_machine_it_is_refused() {
    let site = Site::start(|_, _| whole("200 OK", &[], b"secret"));
    let port = site.port;
    let strict = client(&[]);
    for host in [
        "127.0.0.1",
        "localhost",
        "LOCALHOST",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0",
        "0.0.0.0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::]",
        "127.0.0.1.",
        "①②⑦.⓪.⓪.①",
    ] {
        let url = format!("http://{host}:{port}/");
        let message = fails(strict.fetch(&url, false, &never), Kind::AddressRefused);
        assert!(message.contains("--web-allow"), "{message}");
        fails(strict.check(&url, &never), Kind::AddressRefused);
    }
    // Name servers differ in whether they know it with its last dot.
    assert!(strict.check(&format!("http://localhost.:{port}/"), &never).is_err());
    assert!(site.asked().is_empty(), "{:?}", site.asked());
}

#[test]
fn what_the_operator_names_is_reached_under_that_name_alone() {
    let site = Site::start(|_, _| whole("200 OK", &["Content-Type: text/plain"], b"hello"));
    let read = |allow: &str, url: &str| {
        let done = client(&[allow.to_owned()]).fetch(url, false, &never);
        done.map(|page| page.text.clone()).map_err(|e| e.kind)
    };
    let by_number = site.url("/");
    let by_name = format!("http://localhost:{}/", site.port);
    let port = site.port;
    let hello = || Ok("hello".to_owned());
    assert_eq!(read(&format!("127.0.0.1:{port}"), &by_number), hello());
    assert_eq!(read("127.0.0.1", &by_number), hello());
    assert_eq!(read(&format!("LocalHost:{port}"), &by_name), hello());
    let refused = Err(Kind::AddressRefused);
    assert_eq!(read(&format!("127.0.0.1:{port}"), &by_name), refused);
    assert_eq!(read(&format!("127.0.0.1:{}", port ^ 1), &by_number), refused);
    assert_eq!(read("27.0.0.1", &by_number), refused);
    assert_eq!(read("127.0.0.1.example.com", &by_number), refused);
    assert_eq!(read("", &by_number), refused);
}

#[test]
fn a_redirect_is_judged_like_a_first_address() {
    let inner = Site::start(|_, _| whole("200 OK", &["Content-Type: text/plain"], b"secret"));
    let to = format!("http://localhost:{}/secret", inner.port);
    let outer = Site::start(move |asked, _| match asked.path() {
        "/robots.txt" => crate::site::gone(),
        "/scheme" => redirect("302 Found", "file:///etc/passwd"),
        "/protocol" => redirect("302 Found", &to.replace("http:", "")),
        _ => redirect("307 Temporary Redirect", &to),
    });
    let client = client(&outer.allowed());
    for path in ["/", "/protocol"] {
        let message = fails(client.fetch(&outer.url(path), false, &never), Kind::AddressRefused);
        assert!(message.contains("localhost"), "{message}");
        fails(client.check(&outer.url(path), &never), Kind::AddressRefused);
    }
    fails(client.fetch(&outer.url("/scheme"), false, &never), Kind::InvalidUrl);
    assert!(inner.asked().is_empty());
}

#[test]
fn a_robots_file_that_leads_inside_is_not_followed() {
    let inner = Site::start(|_, _| whole("200 OK", &[], b"User-agent: *\nDisallow: /"));
    let to = format!("http://localhost:{}/robots.txt", inner.port);
    let outer = Site::start(move |asked, _| match asked.path() {
        "/robots.txt" => redirect("302 Found", &to),
        _ => whole("200 OK", &["Content-Type: text/plain"], b"fine"),
    });
    let page = client(&outer.allowed()).fetch(&outer.url("/"), false, &never).unwrap();
    assert_eq!(page.text, "fine");
    assert_eq!(inner.asked(), Vec::<String>::new());
}

#[test]
fn credentials_and_other_schemes_are_refused() {
    let client = client(&[]);
    for url in [
        "",
        "x",
        "/etc/passwd",
        "file:///etc/passwd",
        "ftp://example.com/",
        "javascript:alert(1)",
        "data:text/html,x",
        "gopher://example.com/",
        "http://",
        "http://example.com:0/",
        "http://example.com:99999/",
        "http://exa mple.com/",
        "ws://example.com/",
    ] {
        fails(client.fetch(url, false, &never), Kind::InvalidUrl);
        fails(client.check(url, &never), Kind::InvalidUrl);
    }
    let message = fails(client.check("http://me:secret@example.com/", &never), Kind::InvalidUrl);
    assert!(!message.contains("secret"), "{message}");
    let long = format!("http://example.com/{}", "a".repeat(10_000));
    assert!(fails(client.check(&long, &never), Kind::InvalidUrl).len() < 1000);
}

#[test]
fn a_proxy_in_the_environment_is_not_used() {
    let proxy = Site::start(|_, _| whole("200 OK", &["Content-Type: text/plain"], b"the proxy"));
    let site = Site::start(|_, _| whole("200 OK", &["Content-Type: text/plain"], b"the site"));
    if std::env::var_os("KITBAG_TEST_CHILD").is_none() {
        // The environment must be there from the start: this test again, in a process of its own.
        let own = format!("http://127.0.0.1:{}", proxy.port);
        let done = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "addresses::a_proxy_in_the_environment_is_not_used"])
            .env("KITBAG_TEST_CHILD", "1")
            .env("HTTP_PROXY", &own)
            .env("http_proxy", &own)
            .env("ALL_PROXY", &own)
            .output()
            .unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
        assert!(String::from_utf8_lossy(&done.stdout).contains("1 passed"));
        return;
    }
    let page = client(&site.allowed()).fetch(&site.url("/"), false, &never).unwrap();
    assert_eq!(page.text, "the site");
}

#[test]
fn a_name_may_lead_to_a_fixed_address() {
    let site = Site::start(|asked, _| {
        assert!(asked.head.to_lowercase().contains("host: site.example"));
        whole("200 OK", &["Content-Type: text/plain"], b"hello")
    });
    let hosts = vec![("site.example".to_owned(), ([127, 0, 0, 1], site.port).into())];
    let client = Client::new(Settings { hosts, ..Settings::default() });
    assert_eq!(client.fetch("http://site.example/", false, &never).unwrap().text, "hello");
}

#[test]
fn a_host_that_is_not_there_is_a_network_error() {
    let limits = Limits { whole: Duration::from_secs(20), ..Limits::default() };
    let client = Client::new(Settings { limits, ..Settings::default() });
    let message = fails(client.fetch("http://nowhere.invalid/", false, &never), Kind::Network);
    assert!(message.contains("nowhere.invalid"), "{message}");
}
