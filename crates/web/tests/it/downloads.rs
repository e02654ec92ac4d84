use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use web::{Kind, Part};

use crate::site::{Site, gone, redirect, whole};
use crate::{client, fails, never};

/// A download in memory.
#[derive(Default)]
struct Memory {
    bytes: Vec<u8>,
    version: Option<String>,
    full: bool,
}

impl Part for Memory {
    fn length(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn version(&self) -> Option<String> {
        self.version.clone()
    }

    fn restart(&mut self, version: Option<&str>) -> std::io::Result<()> {
        self.bytes.clear();
        self.version = version.map(str::to_owned);
        Ok(())
    }

    fn append(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        if self.full {
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }
}

fn content() -> Vec<u8> {
    (0..200_000_u32).flat_map(u32::to_le_bytes).collect()
}

fn range(head: &str) -> Option<usize> {
    let line = head.lines().find(|l| l.to_lowercase().starts_with("range: bytes="))?;
    line.split('=').nth(1)?.trim_end_matches('-').parse().ok()
}

#[test]
fn a_download_is_the_bytes_of_the_server() {
    let gzipped = b"\x1f\x8b not for you to open".to_vec();
    let body = gzipped.clone();
    let site = Site::start(move |asked, _| match asked.path() {
        "/to" => redirect("302 Found", "/a.gz"),
        "/a.gz" => whole("200 OK", &["Content-Encoding: gzip"], &body),
        "/empty" => whole("200 OK", &[], b""),
        _ => gone(),
    });
    let client = client(&site.allowed());
    let mut part = Memory::default();
    let done = client.download(&site.url("/to"), &mut part, &never).unwrap();
    assert_eq!(part.bytes, gzipped);
    assert_eq!((done.size, done.encoding.as_deref()), (gzipped.len() as u64, Some("gzip")));
    assert_eq!(client.download(&site.url("/empty"), &mut part, &never).unwrap().size, 0);
}

#[test]
fn a_failure_of_the_server_is_no_file() {
    let site = Site::start(|asked, _| match asked.path() {
        "/500" => whole("500 Oops", &[], b"stack trace"),
        _ => gone(),
    });
    let client = client(&site.allowed());
    for path in ["/gone", "/500"] {
        let mut part = Memory::default();
        fails(client.download(&site.url(path), &mut part, &never), Kind::Status);
        assert!(part.bytes.is_empty());
    }
}

#[test]
fn what_broke_off_goes_on_where_it_was() {
    let broken = Arc::new(AtomicBool::new(true));
    let flag = Arc::clone(&broken);
    let site = Site::start(move |asked, _| {
        let all = content();
        let tag = "ETag: \"v1\"";
        match range(&asked.head) {
            Some(from) if asked.head.contains("\"v1\"") => {
                let span = format!("Content-Range: bytes {from}-{}/{}", all.len() - 1, all.len());
                whole("206 Partial Content", &[tag, &span], &all[from..])
            }
            _ => {
                let mut answer = whole("200 OK", &[tag], &all);
                if flag.load(Ordering::Relaxed) {
                    answer.truncate(300_000);
                }
                answer
            }
        }
    });
    let client = client(&site.allowed());
    let mut part = Memory::default();
    let url = site.url("/a");
    let message = fails(client.download(&url, &mut part, &never), Kind::Network);
    assert!(message.contains(&format!("of {} bytes are kept", content().len())), "{message}");
    let kept = part.length();
    assert!(kept > 0 && kept < 300_000);
    broken.store(false, Ordering::Relaxed);
    let done = client.download(&url, &mut part, &never).unwrap();
    assert_eq!((done.resumed, done.size), (kept, content().len() as u64));
    assert_eq!(part.bytes, content());
}

#[test]
fn nothing_is_put_together_from_two_versions() {
    let site = Site::start(|asked, _| match (asked.path(), range(&asked.head)) {
        // It reads no conditions, and goes on with another version.
        ("/lies", Some(_)) => {
            whole("206 Partial Content", &["Content-Range: bytes 7-9/10"], b"xyz")
        }
        ("/other-place", Some(_)) => {
            whole("206 Partial Content", &["ETag: \"v1\"", "Content-Range: bytes 5-9/10"], b"xyz")
        }
        // It takes the part for whole.
        ("/over", Some(_)) => whole("416 Range Not Satisfiable", &[], b""),
        _ => whole("200 OK", &["ETag: \"v2\""], b"new content"),
    });
    let client = client(&site.allowed());
    for path in ["/changed", "/lies", "/other-place", "/over"] {
        let mut part =
            Memory { bytes: b"old con".to_vec(), version: Some("\"v1\"".to_owned()), full: false };
        let done = client.download(&site.url(path), &mut part, &never).unwrap();
        assert_eq!((part.bytes.as_slice(), done.resumed), (&b"new content"[..], 0), "{path}");
        assert_eq!(part.version.as_deref(), Some("\"v2\""));
    }
    let mut part = Memory { bytes: b"old con".to_vec(), ..Memory::default() };
    client.download(&site.url("/x"), &mut part, &never).unwrap();
    assert_eq!(part.bytes, b"new content", "without a version nothing is continued");
    assert!(site.asked().len() == 8, "{:?}", site.asked());
}

#[test]
fn a_weak_tag_names_no_version() {
    let site = Site::start(|_, _| {
        let mut answer = whole("200 OK", &["ETag: W/\"v1\""], b"0123456789");
        answer.truncate(answer.len() - 3);
        answer
    });
    let mut part = Memory::default();
    let done = client(&site.allowed()).download(&site.url("/"), &mut part, &never);
    let message = fails(done, Kind::Network);
    assert!(!message.contains("kept"), "{message}");
    assert_eq!(part.version, None);
}

#[test]
fn more_than_the_bound_is_refused_before_or_while_it_comes() {
    let site = Site::start(|asked, stream| {
        if asked.path() == "/declared" {
            return b"HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\nabc".to_vec();
        }
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(&[0; 65_536]).is_ok() {}
        Vec::new()
    });
    let client = client(&site.allowed());
    let mut part = Memory::default();
    fails(client.download(&site.url("/declared"), &mut part, &never), Kind::TooLarge);
    assert!(part.bytes.is_empty());
    fails(client.download(&site.url("/endless"), &mut part, &never), Kind::TooLarge);
    assert!(part.bytes.is_empty(), "what can never be whole is not kept");
}

#[test]
fn a_disk_without_room_is_told() {
    let site = Site::start(|_, _| whole("200 OK", &[], b"abc"));
    let mut part = Memory { full: true, ..Memory::default() };
    let done = client(&site.allowed()).download(&site.url("/"), &mut part, &never);
    fails(done, Kind::Keep(std::io::ErrorKind::StorageFull));
}
