//! What a symbol is, and the kinds that languages have.

use std::ops::Range;

/// Something that a file defines under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name alone, without its container.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// The line of the name, from 1.
    pub line: usize,
    /// The column of the name in characters, from 1.
    pub column: usize,
    /// The first line of the definition, decorators included, comments not; from 1.
    pub start_line: usize,
    /// The last line of the definition, from 1.
    pub end_line: usize,
    /// The name of what it is in or belongs to: a type, a module, a function.
    pub container: Option<String>,
    /// How it is declared, without its body, on one line of at most 200 characters.
    pub signature: String,
    /// What it covers of the (prepared) source: what nests is told by this.
    pub(crate) bytes: Range<usize>,
}

macro_rules! kinds {
    ($($(#[doc = $doc:literal])+ $kind:ident = $name:literal: $family:ident,)+) => {
        /// What a symbol is, as far as its language tells.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Kind {
            $($(#[doc = $doc])+ $kind,)+
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)+];

            /// Its name; also the name of its capture in the queries.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$kind => $name,)+ }
            }

            /// The coarser kind, for those who know only a few.
            pub fn family(self) -> Family {
                match self { $(Self::$kind => Family::$family,)+ }
            }
        }
    };
}

kinds! {
    /// A function that belongs to no type.
    Function = "function": Function,
    /// A function of a type, constructors included.
    Method = "method": Function,
    /// A macro of Rust, C or C++.
    Macro = "macro": Function,
    /// A class; a record of Java or C#.
    Class = "class": Class,
    /// A struct.
    Struct = "struct": Class,
    /// A union of C, C++ or Rust.
    Union = "union": Class,
    /// An enumeration.
    Enum = "enum": Class,
    /// An interface; an annotation type of Java.
    Interface = "interface": Interface,
    /// A trait of Rust or PHP, a concept of C++.
    Trait = "trait": Interface,
    /// Another name for a type; a delegate of C#.
    Type = "type": Type,
    /// A module, namespace or package.
    Module = "module": Type,
    /// A variable outside of functions.
    Variable = "variable": Variable,
    /// A variable of a type.
    Field = "field": Variable,
    /// A field that code is behind, or that an interface asks for.
    Property = "property": Variable,
    /// What does not change.
    Constant = "constant": Constant,
    /// A value of an enumeration.
    Variant = "variant": Constant,
}

/// The few kinds that every language has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// A function or method.
    Function,
    /// A class, struct or enum.
    Class,
    /// An interface or trait.
    Interface,
    /// Any other name of a type or a module.
    Type,
    /// A variable.
    Variable,
    /// A constant.
    Constant,
}

impl Kind {
    /// Whether functions in it are its methods.
    pub(crate) fn has_methods(self) -> bool {
        matches!(self.family(), Family::Class | Family::Interface)
    }

    /// Whether what is declared in it is nobody else's business.
    pub(crate) fn hides(self) -> bool {
        matches!(self, Self::Function | Self::Method)
    }

    /// Whether it is only local when a function is around it.
    pub(crate) fn is_value(self) -> bool {
        matches!(self, Self::Variable | Self::Constant)
    }
}
