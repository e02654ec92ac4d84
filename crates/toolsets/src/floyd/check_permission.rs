//! Floyd `check_permission`.

use programs::project::Purpose;

use super::command::Wanted;
use crate::prelude::*;

/// Tell whether a runner would run now without the user being asked.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CheckPermission {
    /// Tool (default: all four)
    tool_name: Option<Runner>,
    /// Project directory (default: the root)
    project_path: Option<String>,
}

/// The tools that run commands of the project.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Runner {
    RunTests,
    Format,
    Lint,
    Build,
}

impl Runner {
    pub(crate) const ALL: &[Self] = &[Self::RunTests, Self::Format, Self::Lint, Self::Build];

    fn tool(self) -> (&'static str, Purpose) {
        match self {
            Self::RunTests => ("run_tests", Purpose::Test),
            Self::Format => ("format", Purpose::Format),
            Self::Lint => ("lint", Purpose::Lint),
            Self::Build => ("build", Purpose::Build),
        }
    }
}

/// What is allowed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// The tool that was asked about
    tool: String,
    /// The directory
    project_path: String,
    /// Whether it would run without a question
    has_permission: bool,
    /// Where the tools differ
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Output {
    pub(crate) fn of(cx: &Cx<'_>, tools: &[Runner], path: Option<&str>) -> Result<Self> {
        let workspace = cx.workspace();
        let dir = path.unwrap_or(".");
        workspace.list(dir)?;
        let may = |tool: &Runner| {
            let (name, purpose) = tool.tool();
            let grant = Wanted { purpose, path, command: None }.grant(workspace);
            cx.may(name, Permission::Dangerous, &grant)
        };
        let names =
            |tools: &[Runner]| tools.iter().map(|t| t.tool().0).collect::<Vec<_>>().join(", ");
        let (yes, no): (Vec<Runner>, Vec<Runner>) = tools.iter().partition(|tool| may(tool));
        Ok(Self {
            tool: names(tools),
            project_path: workspace
                .glance(dir)
                .map_or_else(|| dir.to_owned(), |found| found.path.display().to_string()),
            has_permission: no.is_empty(),
            note: (!yes.is_empty() && !no.is_empty())
                .then(|| format!("without a question: {}; not: {}", names(&yes), names(&no))),
        })
    }
}

impl Tool for CheckPermission {
    type Output = Output;

    const SPEC: Spec = Spec::new("check_permission", "Check a permission", Category::Build)
        .errors(&[LISTING])
        .examples(&[
            Example::of("All four at once")
                .gives(r#"{"tool": "run_tests, format, lint, build", "projectPath": "[..]/root", "hasPermission": true}"#),
            Example::of("A tool that runs no command")
                .call(r#"{"toolName": "deploy"}"#)
                .fails(Code::InvalidInput, r#"{"error": "toolName: unknown value `deploy`; [..]"}"#),
        ]);

    fn run(self, cx: &Cx<'_>) -> Result<Output> {
        let one = self.tool_name.map(|tool| vec![tool]);
        Output::of(cx, &one.unwrap_or_else(|| Runner::ALL.to_vec()), self.project_path.as_deref())
    }
}
