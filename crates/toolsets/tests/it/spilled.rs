//! Output that is too long for an answer.

use toolkit::serde_json::json;
use toolkit::testing::run;
use toolkit::{Body, Policy};

use crate::{open, place};

#[test]
fn the_whole_output_can_be_read_where_the_answer_says() {
    let place = place(&[], |_| {});
    let session = open(&place, "fiz", Policy::Trust);
    let run = |tool: &str, input| match run(&session, tool, input).body {
        Body::Text(text) => text,
        other => panic!("{other:?}"),
    };
    let text = run("bash", json!({"command": "seq 1 400000"}));
    assert!(
        text.starts_with("Exit code: 0\n") && text.contains("\n399999\n400000\n"),
        "{}",
        &text[..200]
    );
    assert!(text.contains("lines omitted]\n[The whole output: "), "{}", &text[..300]);
    let path = text.split("[The whole output: ").nth(1).unwrap().split(']').next().unwrap();
    assert_eq!(
        run("read", json!({"path": path, "offset": 199_999, "limit": 1})),
        "200000\n[200000 more lines]\n[Read on with offset 200000]"
    );
    assert!(run("grep", json!({"pattern": "^123456$", "dir": path})).contains(":123456:123456"));
    let written = run("write", json!({"path": path, "content": "x"}));
    assert!(written.contains("read-only root"), "{written}");
}
