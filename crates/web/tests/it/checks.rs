use std::io::Write as _;
use std::net::TcpListener;
use std::sync::Arc;

use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use web::Kind;

use crate::site::{Site, gone, redirect, whole};
use crate::{client, fails, never};

#[test]
fn a_check_asks_for_the_head_and_for_the_page_only_where_that_is_refused() {
    let site = Site::start(|asked, _| {
        let head = asked.line.starts_with("HEAD");
        match asked.path() {
            "/fine" => b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n".to_vec(),
            "/picky" if head => whole("405 Method Not Allowed", &[], b""),
            "/rude" if head => Vec::new(),
            "/old" => redirect("301 Moved Permanently", "/fine"),
            "/nowhere" => b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n".to_vec(),
            "/picky" | "/rude" => whole("200 OK", &[], b"body"),
            _ => gone(),
        }
    });
    let client = client(&site.allowed());
    let status = |path: &str| client.check(&site.url(path), &never).unwrap().status;
    assert_eq!(status("/fine"), 200);
    assert_eq!(site.asked(), ["HEAD /fine HTTP/1.1"]);
    assert_eq!((status("/picky"), status("/rude"), status("/gone")), (200, 200, 404));
    assert_eq!(status("/nowhere"), 302, "a redirect to nowhere is the last answer");
    let old = client.check(&site.url("/old"), &never).unwrap();
    assert_eq!((old.status, old.url, old.hops.len()), (200, site.url("/fine"), 1));
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let open = crate::client(&["127.0.0.1".to_owned()]);
    fails(open.check(&format!("http://127.0.0.1:{unused}/"), &never), Kind::Network);
}

/// A server with a certificate that nobody signed.
fn secure_site() -> u16 {
    let certificate = CertificateDer::from(include_bytes!("../tls/certificate.der").to_vec());
    let key = PrivatePkcs8KeyDer::from(include_bytes!("../tls/key.der").to_vec());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], PrivateKeyDer::Pkcs8(key))
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let connection = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = rustls::StreamOwned::new(connection, stream);
            let _ = stream.write_all(&whole("200 OK", &[], b"secret")); // the client hangs up
        }
    });
    port
}

#[test]
fn a_certificate_that_nobody_signed_is_refused_and_named() {
    let port = secure_site();
    let client = client(&["localhost".to_owned(), "127.0.0.1".to_owned()]);
    for host in ["localhost", "127.0.0.1"] {
        let url = format!("https://{host}:{port}/");
        let message = fails(client.check(&url, &never), Kind::Certificate);
        assert!(message.contains("certificate"), "{message}");
        fails(client.fetch(&url, false, &never), Kind::Certificate);
    }
    let plain = Site::start(|_, _| whole("200 OK", &[], b"plain"));
    let url = format!("https://127.0.0.1:{}/", plain.port);
    fails(client.check(&url, &never), Kind::Network);
}
