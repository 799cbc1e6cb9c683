//! A matrix of attention as shades in a terminal, words by words.
//!
//! Attention is between bytes; a word looks at a word as much as its bytes do on average, summed over the bytes there.
//! Each row is shaded by itself, from the word it looks at least to the one it looks at most.

use std::fmt::Write as _;
use std::ops::Range;

/// At most so many words are drawn, each at most so many letters wide.
const WORDS: usize = 8;
const LETTERS: usize = 8;
const SHADES: [char; 6] = [' ', '·', '░', '▒', '▓', '█'];

/// The first words of `text`, whose first `size` bytes attend to each other by `weights[query][position]`.
pub(crate) fn words(text: &str, size: usize, weights: &[f32]) -> String {
    let words = spans(text, size);
    let mut out = String::new();
    let _ = write!(out, "  {:LETTERS$} ", "");
    for (name, _) in &words {
        let _ = write!(out, "{name:^LETTERS$} ");
    }
    out.push('\n');
    for (name, queries) in &words {
        let shares: Vec<f32> = words.iter().map(|(_, positions)| share(size, weights, queries, positions)).collect();
        let (least, most) =
            shares.iter().fold((f32::INFINITY, 0.0_f32), |(least, most), &x| (least.min(x), most.max(x)));
        let _ = write!(out, "  {name:>LETTERS$} ");
        for share in shares {
            let dark = (share - least) / (most - least).max(f32::MIN_POSITIVE);
            let shade = SHADES[((dark * SHADES.len() as f32) as usize).min(SHADES.len() - 1)];
            out.extend(std::iter::repeat_n(shade, LETTERS).chain([' ']));
        }
        let _ = writeln!(out, " {:2.0} % at most", most * 100.0);
    }
    out
}

/// The first letters, without what would move the cursor or sound the bell.
fn printable(word: &str) -> String {
    word.chars().take(LETTERS).map(|letter| if letter.is_control() { '�' } else { letter }).collect()
}

/// How much the bytes `queries` look at the bytes `positions`: the mean of the first, the sum of the second.
fn share(size: usize, weights: &[f32], queries: &Range<usize>, positions: &Range<usize>) -> f32 {
    let looked = |query: usize| -> f32 { weights[query * size..][positions.clone()].iter().sum() };
    queries.clone().map(looked).sum::<f32>() / queries.len() as f32
}

/// The first words that lie wholly in the first `size` bytes: a name to print and where the bytes are.
fn spans(text: &str, size: usize) -> Vec<(String, Range<usize>)> {
    let mut found: Vec<(String, Range<usize>)> = text
        .split_whitespace()
        .map(|word| {
            let start = word.as_ptr().addr() - text.as_ptr().addr();
            (printable(word), start..start + word.len())
        })
        .take_while(|(_, bytes)| bytes.end <= size)
        .take(WORDS)
        .collect();
    if found.is_empty() {
        // One long word: its bytes that are used.
        let start = text.len() - text.trim_start().len();
        let end = size.max(start.min(size));
        if start < end {
            found.push((printable(text.trim_start()), start..end));
        }
    }
    found
}
