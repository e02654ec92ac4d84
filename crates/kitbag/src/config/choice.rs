//! Which tools a command is about.

use clap::builder::PossibleValuesParser;
use fault::{Error, Result};
use toolkit::{Entry, Toolset};

/// The toolset that is taken where none is named.
pub(crate) const TOOLSET: &str = "kit";

/// Which tools a command is about.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Project")]
pub(crate) struct Choice {
    /// Toolset
    #[arg(long, env = "KITBAG_TOOLSET", default_value = TOOLSET, value_name = "TOOLSET")]
    #[arg(value_parser = PossibleValuesParser::new(toolsets::NAMES))]
    toolset: String,
    /// Preset of the toolset, as `kitbag tools` lists them
    #[arg(long, env = "KITBAG_PRESET", value_name = "PRESET")]
    preset: Option<String>,
    /// Tool of the toolset that the preset leaves out
    #[arg(long, env = "KITBAG_WITH", value_name = "TOOL", value_delimiter = ',')]
    with: Vec<String>,
    /// Tool of the toolset to leave out
    #[arg(long, env = "KITBAG_WITHOUT", value_name = "TOOL", value_delimiter = ',')]
    without: Vec<String>,
}

impl Choice {
    /// The tools that were asked for.
    pub(crate) fn tools(&self) -> Result<Toolset> {
        self.of_preset(self.preset.as_deref())
    }

    /// The toolset for a model of our own, and the name of the preset, which also decides how the
    /// model is told to work: there it may be one that the toolset does not have.
    pub(crate) fn tools_and_preset(&self) -> Result<(Toolset, &str)> {
        let preset = self.preset.as_deref().unwrap_or_default();
        let of_toolset = self.whole()?.presets.iter().any(|(name, _)| *name == preset);
        let is_prompt = agent::PRESETS.iter().any(|(name, _)| *name == preset);
        let tools = if is_prompt && !of_toolset { self.of_preset(None)? } else { self.tools()? };
        Ok((tools, preset))
    }

    fn whole(&self) -> Result<Toolset> {
        let name = &self.toolset;
        toolsets::toolset(name)
            .ok_or_else(|| Error::invalid_input("--toolset", format!("no toolset `{name}`")))
    }

    fn of_preset(&self, preset: Option<&str>) -> Result<Toolset> {
        let whole = self.whole()?;
        let named = |flag: &str, names: &[String]| -> Result<Vec<&'static str>> {
            let one = |name: &String| {
                let found = whole.find(name.trim());
                found.map(|e| e.spec.name).map_err(|e| Error::invalid_input(flag, e.message))
            };
            names.iter().map(one).collect()
        };
        let (with, without) = (named("--with", &self.with)?, named("--without", &self.without)?);
        if let Some(both) = with.iter().find(|name| without.contains(name)) {
            let problem = format!("`{both}` is left out by --without; give one of them");
            return Err(Error::invalid_input("--with", problem));
        }
        let mut tools = match preset {
            Some(preset) => whole.preset(preset)?,
            None => whole,
        };
        let missing = |entry: &Entry| {
            let name = entry.spec.name;
            with.contains(&name) && tools.find(name).is_err()
        };
        let more = self.whole()?.into_entries().into_iter().filter(missing).collect();
        tools.add(more)?;
        tools.retain(|entry| !without.contains(&entry.spec.name));
        if tools.entries().is_empty() {
            return Err(Error::invalid_input("--without", "no tool is left; leave out fewer"));
        }
        Ok(tools)
    }
}
