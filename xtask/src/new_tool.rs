//! `cargo xtask new-tool`: the file of a new tool and its two lines in the toolset's index.

use crate::{Result, root};

/// Makes the file and the lines.
pub(crate) fn run(toolset: &str, name: &str) -> Result {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(plain) {
        return Err(format!("{name}: a tool's name is lower case letters, digits and _"));
    }
    let folder = root().join("crates/toolsets/src").join(toolset.replace(['-', '.'], "_"));
    let (index, file) = (folder.join("mod.rs"), folder.join(format!("{name}.rs")));
    let text = std::fs::read_to_string(&index).map_err(|e| format!("{}: {e}", index.display()))?;
    if file.exists() {
        return Err(format!("{}: is there already", file.display()));
    }
    std::fs::write(&file, template(toolset, name))
        .map_err(|e| format!("{}: {e}", file.display()))?;
    std::fs::write(&index, indexed(&text, name)?)
        .map_err(|e| format!("{}: {e}", index.display()))?;
    crate::run("cargo", &["fmt", "-p", "kitbag-toolsets"])?;
    println!(
        "wrote {}\nnow write its fields, its examples and `run`, then: cargo nextest run -p kitbag-toolsets",
        file.display()
    );
    Ok(())
}

/// `read_file` as `ReadFile`.
fn type_name(name: &str) -> String {
    let capital = |part: &str| part[..1].to_uppercase() + &part[1..];
    name.split('_').filter(|p| !p.is_empty()).map(capital).collect()
}

/// Words that Rust keeps for itself need a mark as module names.
fn module(name: &str) -> String {
    let kept = ["move", "match", "type", "use", "mod", "loop", "ref", "static", "yield", "await"];
    if kept.contains(&name) { format!("r#{name}") } else { name.to_owned() }
}

/// The index with the tool's two lines.
fn indexed(index: &str, name: &str) -> Result<String> {
    let lost = |what: &str| format!("the index has no {what}");
    let first = index.find("\nmod ").ok_or_else(|| lost("`mod` lines"))? + 1;
    let end = index[first..].find("\n\n").ok_or_else(|| lost("end of its `mod` lines"))? + first;
    let line = format!("mod {};", module(name));
    let mut lines: Vec<&str> = index[first..end].lines().collect();
    lines.push(&line);
    lines.sort_unstable();
    let with_mod = format!("{}{}{}", &index[..first], lines.join("\n"), &index[end..]);
    let list = with_mod.find("toolset.with(vec![").ok_or_else(|| lost("list of entries"))?;
    let close =
        with_mod[list..].find("    ])").ok_or_else(|| lost("end of its list of entries"))? + list;
    let entry = format!("        Entry::of::<{}::{}>(),\n", module(name), type_name(name));
    Ok(format!("{}{entry}{}", &with_mod[..close], &with_mod[close..]))
}

fn template(toolset: &str, name: &str) -> String {
    let kind = type_name(name);
    format!(
        r##"//! {toolset} `{name}`.

use crate::prelude::*;

/// Say in one sentence what it does, for the model.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct {kind} {{
    /// Path of the file
    path: String,
}}

impl Tool for {kind} {{
    type Output = String;

    const SPEC: Spec = Spec::new("{name}", "{kind}", Category::Files)
        .errors(&[&[Code::FileNotFound]])
        .examples(&[
            Example::of("What a success looks like")
                .given(&[("a.txt", "one\n")])
                .call(r#"{{"path": "a.txt"}}"#)
                .gives("4 bytes"),
            Example::of("What a failure looks like")
                .call(r#"{{"path": "a.txt"}}"#)
                .fails(Code::FileNotFound, "error: a.txt: no such file; [..]"),
        ]);

    fn paths(&self) -> Vec<String> {{
        vec![self.path.clone()]
    }}

    fn run(self, cx: &Cx<'_>) -> Result<String> {{
        let contents = cx.workspace().read(&self.path)?;
        Ok(format!("{{}} bytes", contents.bytes.len()))
    }}
}}
"##
    )
}

#[cfg(test)]
mod tests {
    use super::{indexed, type_name};

    #[test]
    fn a_tool_gets_its_two_lines_in_order() {
        let index = "//! x\n\nmod a;\nmod c;\n\nfn t() {\n    toolset.with(vec![\n        Entry::of::<a::A>(),\n    ])\n}\n";
        let with = indexed(index, "b_b").unwrap();
        assert!(with.contains("mod a;\nmod b_b;\nmod c;\n\n"), "{with}");
        assert!(
            with.contains("Entry::of::<a::A>(),\n        Entry::of::<b_b::BB>(),\n    ])"),
            "{with}"
        );
        assert!(indexed(index, "move").unwrap().contains("mod r#move;"));
        assert_eq!(type_name("read_file"), "ReadFile");
    }
}
