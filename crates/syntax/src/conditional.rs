//! Files of C and C++ as the preprocessor may leave them: one branch of each condition at a time.

/// Which branch of a condition is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Branch {
    First,
    Last,
}

/// A condition whose end did not come yet.
struct Open {
    /// The code around it is kept.
    is_kept_around: bool,
    /// Branches that began.
    begun: usize,
    /// Its first branch is never compiled: `#if 0`.
    is_dead: bool,
    branches: usize,
}

/// The source with one branch of each condition, the rest and the conditions blank; `None` if it has
/// none. Lines and columns stay.
pub(crate) fn branch(source: &[u8], keep: Branch) -> Option<Vec<u8>> {
    let counts = branches(source)?;
    let (mut kept, mut open) = (Vec::with_capacity(source.len()), Vec::<Open>::new());
    let (mut next, mut is_continued) = (0, false);
    for line in source.split_inclusive(|byte| *byte == b'\n') {
        let (mut is_blank, directive) = (is_continued, directive(line));
        let is_directive = is_continued || directive.is_some();
        if let Some((word, rest)) = directive.filter(|_| !is_continued) {
            let around = open.last().is_none_or(|open| open.keeps(keep));
            is_blank = true;
            match word {
                b"if" | b"ifdef" | b"ifndef" => {
                    let is_dead = word == b"if"
                        && rest.trim_ascii().split(u8::is_ascii_whitespace).next() == Some(b"0");
                    let branches = counts[next];
                    next += 1;
                    open.push(Open { is_kept_around: around, begun: 1, is_dead, branches });
                }
                b"elif" | b"else" | b"elifdef" | b"elifndef" => {
                    open.last_mut()?.begun += 1;
                }
                b"endif" => _ = open.pop()?,
                _ => is_blank = false,
            }
        }
        is_blank |= !open.last().is_none_or(|open| open.keeps(keep));
        is_continued = is_directive && is_blank && line.trim_ascii_end().ends_with(b"\\");
        kept.extend(line.iter().map(|byte| match byte {
            b'\n' | b'\r' => *byte,
            _ if is_blank => b' ',
            byte => *byte,
        }));
    }
    Some(kept)
}

impl Open {
    fn keeps(&self, keep: Branch) -> bool {
        // What no compiler reads may be prose.
        let first = if self.is_dead { 2 } else { 1 };
        let wanted = match keep {
            Branch::First => first,
            // Without another branch there may be nothing.
            Branch::Last if self.branches == 1 => 2,
            Branch::Last => self.branches,
        };
        self.is_kept_around && self.begun == wanted
    }
}

/// The branches of each condition in the order in which they begin; `None` if there is none, or one
/// has no end.
fn branches(source: &[u8]) -> Option<Vec<usize>> {
    let (mut counts, mut open) = (Vec::new(), Vec::new());
    for line in source.split(|byte| *byte == b'\n') {
        match directive(line).map(|(word, _)| word) {
            Some(b"if" | b"ifdef" | b"ifndef") => {
                open.push(counts.len());
                counts.push(1);
            }
            Some(b"elif" | b"else" | b"elifdef" | b"elifndef") => counts[*open.last()?] += 1,
            Some(b"endif") => _ = open.pop()?,
            _ => {}
        }
    }
    (open.is_empty() && !counts.is_empty()).then_some(counts)
}

/// The word of a directive, and what is behind it.
fn directive(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = line.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start();
    let end = rest.iter().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(rest.len());
    Some(rest.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_branch_of_each_condition_is_kept() {
        let source = b"a\n#if 0\nit's\n#if 1\nx\n#endif\n#else\nb\n#endif\n#ifdef C \\\n  D\nc\n#elif E\nd\n#endif\ne\n";
        let kept = |keep| {
            let kept = branch(source, keep).unwrap_or_default();
            assert_eq!(kept.len(), source.len());
            String::from_utf8_lossy(&kept).split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(kept(Branch::First), "a b c e");
        assert_eq!(kept(Branch::Last), "a b d e");
        assert_eq!(branch(b"a\n", Branch::First), None);
        assert_eq!(branch(b"#if 1\n", Branch::First), None);
    }
}
