//! Our rows beside the lines of another program: ratios, their geometric mean, and where check numbers differ.
//!
//! A ratio is the least time of the other program by ours, so below 1 the other one is faster.
//! Not here: how either was timed (`protocol`, `torch_odd.py`).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use named_tensor::prelude::Error;
use serde_json::Value;

use crate::protocol::{Check, Row};

/// By how much check numbers may differ, as a part of the larger one or of the root of the sum of the squared terms.
const BOUND: f64 = 1e-3;

fn wrong(message: impl ToString) -> Error {
    Error::new(named_tensor::ErrorKind::File, message.to_string())
}

/// The lines of a file by the names of their rows.
fn lines(file: &str) -> Result<BTreeMap<[String; 3], Row>, Error> {
    let text = std::fs::read_to_string(file).map_err(|error| wrong(format!("{file}: {error}")))?;
    let mut rows = BTreeMap::new();
    for line in text.lines().filter(|line| line.starts_with('{')) {
        let line: Value = serde_json::from_str(line).map_err(|error| wrong(format!("{file}: {error}")))?;
        let name = ["kind", "sizes", "how"].map(|field| line[field].as_str().unwrap_or_default().to_owned());
        let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
        let check = |pair: &Value| Check { sum: number(&pair[0]), length: number(&pair[1]) };
        let row = Row {
            name: name.clone(),
            threads: line["threads"].as_u64().unwrap_or(0) as usize,
            least: number(&line["least_us"]),
            median: number(&line["median_us"]),
            checks: line["check"].as_array().map(|all| all.iter().map(check).collect()).unwrap_or_default(),
        };
        rows.insert(name, row);
    }
    Ok(rows)
}

/// By how much the check numbers of a row differ at most, as a part of what they may be compared with.
fn difference(ours: &[Check], theirs: &[Check]) -> f64 {
    if ours.len() != theirs.len() {
        return f64::INFINITY;
    }
    let each = ours.iter().zip(theirs).map(|(a, b)| {
        let length = a.length.max(b.length).max(1e-9);
        let sums = (a.sum - b.sum).abs() / a.sum.abs().max(b.sum.abs()).max(length);
        // NaN on either side is a difference.
        let apart = sums.max((a.length - b.length).abs() / length);
        if sums.is_nan() { f64::INFINITY } else { apart }
    });
    each.fold(0.0, f64::max)
}

/// The geometric mean of ratios, and how many are below 1, of rows of one kind or of all.
fn summary(name: &str, ratios: &[f64]) -> String {
    if ratios.is_empty() {
        return String::new();
    }
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
    let (below, all) = (ratios.iter().filter(|&&ratio| ratio < 1.0).count(), ratios.len());
    format!("{name:8} {all:4} rows, geometric mean {mean:.2}, {below} below 1\n")
}

/// The table, worst ratios first, and what is to be said of all rows.
pub(crate) fn report(ours: &[Row], file: &str, asked: impl Fn(&str) -> bool) -> Result<String, Error> {
    let mut theirs = lines(file)?;
    theirs.retain(|name, _| asked(&name.join(" ")));
    let (mut pairs, mut alone) = (Vec::new(), Vec::new());
    for row in ours {
        match theirs.remove(&row.name) {
            Some(other) => pairs.push((other.least / row.least, row, other)),
            None => alone.push(format!("{} only here", row.name.join(" "))),
        }
    }
    alone.extend(theirs.keys().map(|name| format!("{} only in {file}", name.join(" "))));
    pairs.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));

    let mut text =
        format!("{:24} {:>18} {:8} {:>12} {:>12} {:>7}\n", "kind", "sizes", "how", "ours µs", "other µs", "ratio");
    let mut differ = Vec::new();
    for (ratio, row, other) in &pairs {
        let ([kind, sizes, how], ours, theirs) = (&row.name, row.least, other.least);
        let _ = writeln!(text, "{kind:24} {sizes:>18} {how:8} {ours:>12.1} {theirs:>12.1} {ratio:>7.2}");
        let apart = difference(&row.checks, &other.checks);
        if apart > BOUND {
            differ.push(format!("{} differs by {apart:.1e}", row.name.join(" ")));
        }
        if row.threads != other.threads {
            differ.push(format!("{} has {} threads here, {} there", row.name.join(" "), row.threads, other.threads));
        }
    }
    text.push('\n');
    for how in ["forwards", "+grad"] {
        let ratios: Vec<f64> = pairs.iter().filter(|(_, row, _)| row.name[2] == how).map(|pair| pair.0).collect();
        text += &summary(how, &ratios);
    }
    text += &summary("all", &pairs.iter().map(|pair| pair.0).collect::<Vec<f64>>());
    let (agree, all) = (pairs.len() - differ.len().min(pairs.len()), pairs.len());
    let _ = writeln!(text, "check numbers agree in {agree} of {all} rows");
    for line in differ.into_iter().chain(alone) {
        let _ = writeln!(text, "{line}");
    }
    Ok(text)
}
