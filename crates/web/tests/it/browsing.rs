use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use crate::client;
use crate::site::{Site, whole};

/// What the proxy at `port` gives for these bytes.
fn send(port: u16, request: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer); // closed or not, what came is what counts
    answer
}

#[test]
fn the_proxy_lets_through_what_may_be_reached_and_closes_after_it() {
    let site = Site::start(|asked, _| {
        whole("200 OK", &[], format!("{}\n{}", asked.line, asked.head).as_bytes())
    });
    let client = client(&site.allowed());
    let (port, proxy) = client.proxy().unwrap();
    let place = format!("127.0.0.1:{}", site.port);
    let answer = send(
        port,
        &format!(
            "GET http://{place}/a?b HTTP/1.1\r\nHost: {place}\r\nProxy-Connection: keep-alive\r\nX-Own: 1\r\n\r\n"
        ),
    );
    assert!(answer.contains("GET /a?b HTTP/1.1"), "{answer}");
    assert!(answer.contains("X-Own: 1") && answer.contains("Connection: close"), "{answer}");
    assert!(!answer.contains("Proxy-Connection"), "{answer}");
    let tunnel = format!("CONNECT {place} HTTP/1.1\r\n\r\nGET /in HTTP/1.1\r\nHost: x\r\n\r\n");
    let answer = send(port, &tunnel);
    assert!(
        answer.starts_with("HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 OK"),
        "{answer}"
    );
    assert!(proxy.refused().is_empty());
}

#[test]
fn the_proxy_refuses_what_may_not_be_reached_and_remembers_it() {
    let site = Site::start(|_, _| whole("200 OK", &[], b"secret"));
    let (proxy_port, proxy) = client(&[]).proxy().unwrap();
    let port = site.port;
    for request in [
        format!("GET http://127.0.0.1:{port}/ HTTP/1.1\r\n\r\n"),
        format!("CONNECT localhost:{port} HTTP/1.1\r\n\r\n"),
        format!("CONNECT [::1]:{port} HTTP/1.1\r\n\r\n"),
        "GET http://169.254.169.254/latest/meta-data/ HTTP/1.1\r\n\r\n".to_owned(),
    ] {
        let answer = send(proxy_port, &request);
        assert!(answer.starts_with("HTTP/1.1 403 Forbidden"), "{answer}");
    }
    for nonsense in
        ["GET / HTTP/1.1\r\n\r\n", "hello\r\n\r\n", "GET file:///etc/passwd HTTP/1.1\r\n\r\n"]
    {
        let answer = send(proxy_port, nonsense);
        assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    }
    assert_eq!(proxy.refused().len(), 4);
    assert!(site.asked().is_empty());
}

#[test]
fn the_proxy_ends_when_it_is_dropped_whatever_is_open() {
    let (port, proxy) = client(&[]).proxy().unwrap();
    let open = TcpStream::connect(("127.0.0.1", port)).unwrap();
    drop(proxy);
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    drop(open);
}
