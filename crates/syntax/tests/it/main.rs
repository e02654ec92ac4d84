//! Symbols, references and chunks through the public door.

mod laws;
