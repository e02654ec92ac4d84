//! Which project a path means, and what runs there: a program of the document where the project is
//! Python or none that is known, else the project's own command.

use files::Workspace;
use programs::project::{Kind, Project, Purpose, detect, rows};

use super::line::{Chosen, How};
use crate::prelude::*;

/// A project, and the part of it that a path names.
pub(crate) struct ProjectPath {
    pub(crate) project: Project,
    /// The directory of the project.
    pub(crate) dir: String,
    /// What in it is meant; all of it if `None`.
    pub(crate) target: Option<String>,
}

impl ProjectPath {
    /// The project of its own that the path is, else the one in the root.
    pub(crate) fn find(workspace: &Workspace, path: Option<&str>) -> Result<Self> {
        let path = path.unwrap_or(".");
        let kind = workspace.kind(path)?.ok_or_else(|| Error::file_not_found(path, &[]))?;
        if kind == files::workspace::Kind::Directory {
            let project = detect(workspace, path)?;
            if path == "." || project.kind != Kind::Unknown {
                return Ok(Self { project, dir: path.to_owned(), target: None });
            }
        }
        // A path that begins with a dash would be an option.
        let target = if path.starts_with('-') { format!("./{path}") } else { path.to_owned() };
        Ok(Self { project: detect(workspace, ".")?, dir: ".".to_owned(), target: Some(target) })
    }

    /// Whether the programs of the document, which are for Python, are meant: by the project, or by
    /// the file in a project of another kind.
    pub(crate) fn is_python(&self) -> bool {
        matches!(self.project.kind, Kind::Python | Kind::Unknown) || self.is_python_file()
    }

    pub(crate) fn is_python_file(&self) -> bool {
        self.target.as_ref().is_some_and(|path| path.ends_with(".py") || path.ends_with(".pyi"))
    }

    /// This program, on what is meant.
    ///
    /// # Errors
    /// `InvalidInput` that names the programs there are for the purpose.
    pub(crate) fn program(&self, purpose: Purpose, field: &str, program: &str) -> Result<Chosen> {
        let targets: Vec<&str> = self.target.iter().map(String::as_str).collect();
        let words = self.project.line(purpose, program, &targets).ok_or_else(|| {
            let known = rows().iter().filter(|row| row.purpose == purpose);
            let known: Vec<_> = known.map(|row| row.program).collect();
            Error::invalid_input(
                field,
                format!("{program}: not known for this; choose one of {}", known.join(", ")),
            )
        })?;
        Ok(self.chosen(How::Words(words)))
    }

    /// The project's own command; it is for the whole project.
    pub(crate) fn own(&self, purpose: Purpose) -> Result<Chosen> {
        let line = self.project.required(purpose, &self.dir, "use `run`")?;
        let mut chosen = self.chosen(How::Line(line.to_owned()));
        if let Some(target) = &self.target {
            chosen.notes.push(format!("the command is for the whole project, not {target} alone"));
        }
        Ok(chosen)
    }

    /// The program that was asked for; else the project's own command, where that is for all that
    /// is meant; else `usual`, if the project is Python.
    pub(crate) fn choose(
        &self,
        purpose: Purpose,
        (field, asked): (&str, Option<&str>),
        usual: &str,
    ) -> Result<Chosen> {
        match asked {
            Some(program) => self.program(purpose, field, program),
            None if self.is_python() => match (self.project.command(purpose), &self.target) {
                (Some(_), None) => self.own(purpose),
                _ => self.program(purpose, field, usual),
            },
            None => self.own(purpose),
        }
    }

    pub(crate) fn chosen(&self, how: How) -> Chosen {
        Chosen::new(how, self.dir.clone(), self.project.manager)
    }
}
