//! Stack `context_load`.

use crate::prelude::*;

/// Read AGENTS.md, SOUL.md and TOOLS.md of the project.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct ContextLoad {}

/// The files.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// What they say
    context: Context,
    /// Names of the files that are there
    loaded: Vec<&'static str>,
    /// What is missing
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

/// Their texts.
#[derive(Default, Serialize, JsonSchema)]
struct Context {
    /// AGENTS.md; null if it is not there
    agents: Option<String>,
    /// SOUL.md; null if it is not there
    soul: Option<String>,
    /// TOOLS.md; null if it is not there
    tools: Option<String>,
}

impl Tool for ContextLoad {
    type Output = Success<Output>;

    const SPEC: Spec = Spec::new("context_load", "Load context", Category::Memory)
        .examples(&[
            Example::of("Two of them are there")
                .given(&[("AGENTS.md", "Be brief.\n"), ("TOOLS.md", "Use just.\n")])
                .gives(r##"{"success": true, "context": {"agents": "Be brief.\n", "soul": null, "tools": "Use just.\n"}, "loaded": ["AGENTS.md", "TOOLS.md"]}"##),
            Example::of("The arguments are an object")
                .call(r#"[]"#)
                .fails(Code::InvalidInput, r##"{"success": false, "error": "[..]must be an object", "code": "InvalidInput"}"##),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Success<Output>> {
        let (mut context, mut loaded, mut notes) = (Context::default(), Vec::new(), Vec::new());
        let files = [
            ("AGENTS.md", &mut context.agents),
            ("SOUL.md", &mut context.soul),
            ("TOOLS.md", &mut context.tools),
        ];
        for (path, place) in files {
            let text = cx.workspace().read(path).and_then(|contents| {
                files::text::decode(path, &contents.bytes).map(|text| text.as_str().to_owned())
            });
            match text {
                Ok(text) => {
                    let head = files::text::head(&text, usize::MAX, cx.result_bytes());
                    if head.omitted > 0 {
                        notes.push(format!(
                            "{path}: {} lines left out, read it for the rest",
                            head.omitted
                        ));
                    }
                    *place = Some(head.text);
                    loaded.push(path);
                }
                Err(e) if e.code == Code::FileNotFound => {}
                Err(e) => notes.push(e.message),
            }
        }
        let note = joined(&notes);
        success(Output { context, loaded, note })
    }
}
