//! Columns in characters, counted from one place to the next so that a long line is read once.

/// Where the last column was asked for.
#[derive(Default)]
pub(crate) struct Columns {
    byte: usize,
    column: usize,
    row: Option<usize>,
}

impl Columns {
    /// The column, from 1, of a byte in a row; cheap where the bytes asked for ascend.
    pub(crate) fn at(&mut self, source: &[u8], row: usize, byte: usize) -> usize {
        if self.row != Some(row) || byte < self.byte {
            let line_start =
                source[..byte].iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
            *self = Self { byte: line_start, column: 1, row: Some(row) };
        }
        // Every byte that does not continue a character begins one.
        let characters = source[self.byte..byte].iter().filter(|b| **b & 0xc0 != 0x80).count();
        self.column += characters;
        self.byte = byte;
        self.column
    }
}
