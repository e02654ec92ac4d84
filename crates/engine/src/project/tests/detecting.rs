//! t
use super::*;
