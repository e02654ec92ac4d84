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
    let (port, proxy) = client.proxy("mark").unwrap();
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
    let (proxy_port, proxy) = client(&[]).proxy("mark").unwrap();
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
    let (port, proxy) = client(&[]).proxy("mark").unwrap();
    let open = TcpStream::connect(("127.0.0.1", port)).unwrap();
    drop(proxy);
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    drop(open);
}

/// A door to these hosts, where it listens.
fn door(client: &web::Client, names: &[&str]) -> (u16, web::Proxy) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    (port, client.serve(vec![(listener, web::Door::Hosts(names))]).unwrap())
}

#[test]
fn a_door_leads_to_the_hosts_of_its_names_alone() {
    let site = Site::start(|_, _| whole("200 OK", &[], b"served"));
    let at = std::net::SocketAddr::from(([127, 0, 0, 1], site.port));
    let known = ["a.example.test", "example.test", "badexample.test", "one.test", "two.test"];
    let hosts = known.iter().map(|name| ((*name).to_owned(), at)).collect();
    let client = web::Client::new(web::Settings { hosts, ..web::Settings::default() });
    let (port, proxy) = door(&client, &["*.example.test", "ONE.test:80", "[::1]:1"]);
    let get = |host: &str| send(port, &format!("GET http://{host}/ HTTP/1.1\r\n\r\n"));
    for host in ["a.example.test", "a.example.test:8080", "one.test", "A.EXAMPLE.TEST"] {
        assert!(get(host).ends_with("served"), "{host}");
    }
    let refused = ["example.test", "badexample.test", "two.test", "one.test:81", "127.0.0.1"];
    for host in refused {
        assert!(get(host).starts_with("HTTP/1.1 403"), "{host}");
    }
    assert_eq!(proxy.refused().len(), refused.len());
    assert_eq!(site.asked().len(), 4);
}

#[test]
fn a_name_does_not_open_what_it_leads_to_unless_it_is_an_address() {
    let site = Site::start(|_, _| whole("200 OK", &[], b"served"));
    let place = format!("localhost:{}", site.port);
    let (port, _proxy) = door(&client(&[]), &[&place]);
    assert!(send(port, &format!("GET http://{place}/ HTTP/1.1\r\n\r\n")).ends_with("served"));
    // The name of this machine leads to an address that is not public.
    let name = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let place = format!("{}:{}", name.trim(), site.port);
    let private = std::net::ToSocketAddrs::to_socket_addrs(&place)
        .is_ok_and(|mut all| all.any(|address| web::refusal(address.ip()).is_some()));
    if !private {
        println!("SKIPPED: no name here leads to an address that is not public");
        return;
    }
    let (port, _proxy) = door(&client(&[]), &[&place]);
    let answer = send(port, &format!("GET http://{place}/ HTTP/1.1\r\n\r\n"));
    assert!(answer.starts_with("HTTP/1.1 403") && answer.contains("--web-allow"), "{answer}");
}
