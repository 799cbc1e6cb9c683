//! Pictures: weights as shades with words on both axes (row 3.6), and numbers as a curve, as SVG.
//!
//! A picture is one string that a browser shows as it is, on a light page or a dark one: it has a ground of its own, and
//! colours for both. Whatever the words are, they are escaped; numbers that are not finite are crossed out or left out.
//! Lives here: the drawing. Not here: where weights come from (`attention`, `models`), files.

use std::fmt::Write as _;

/// The side of a cell, and the height of a line of text, in pixels.
const CELL: f64 = 22.0;
/// The room around everything.
const MARGIN: f64 = 14.0;

/// Weights as shades: one row for each word of `rows`, one column for each word of `columns`. The darkest cell is the
/// largest weight, which the scale below names; a cell names its words and its weight to who points at it.
///
/// ```
/// let weights = [vec![0.9, 0.1], vec![0.2, 0.8]];
/// let picture = transformer::picture::heat_map("Alignment", &["the", "cat"], &["le", "chat"], &weights);
/// assert!(picture.starts_with("<svg") && picture.contains("cat, chat: 0.8"));
/// ```
#[must_use]
pub fn heat_map(title: &str, rows: &[&str], columns: &[&str], weights: &[Vec<f32>]) -> String {
    heat_maps(&[title], rows, columns, &[weights])
}

/// Several tables of weights of the same words side by side, with one scale for all, to be compared.
#[must_use]
pub fn heat_maps(titles: &[&str], rows: &[&str], columns: &[&str], weights: &[&[Vec<f32>]]) -> String {
    let (label, head) = (longest(rows), longest(columns));
    let all = weights.iter().flat_map(|table| table.iter().flatten()).map(|&weight| f64::from(weight));
    let (low, high) = bounds(all);
    let (low, high) = (low.min(0.0), if high > low.min(0.0) { high } else { 1.0 });
    let table = Table { rows, columns, head, top: MARGIN + 1.5 * CELL + head, low, high };
    let height = table.top + (rows.len() as f64 + 2.5) * CELL;
    let (mut body, mut x) = (table.scale(MARGIN + label, height - MARGIN - CELL), MARGIN);
    titles.iter().zip(weights).for_each(|(title, weights)| {
        body += &words(x, MARGIN + 0.7 * CELL, "title", "", title);
        body += &table.drawn(x + label, weights);
        let width = label + columns.len() as f64 * CELL;
        x += width.max(text_width(title) * 1.2).max(label + 5.0 * CELL + 50.0) + MARGIN;
    });
    page(titles.first().copied().unwrap_or_default(), x, height, &body)
}

/// What all tables of a picture share.
struct Table<'a> {
    rows: &'a [&'a str],
    columns: &'a [&'a str],
    /// The room for the words of columns.
    head: f64,
    /// Where the first row begins.
    top: f64,
    /// The weights that have no colour, and the full colour.
    low: f64,
    high: f64,
}

impl Table<'_> {
    /// One table whose cells begin at x, with the words on both sides.
    fn drawn(&self, left: f64, weights: &[Vec<f32>]) -> String {
        let column = |(j, word): (usize, &&str)| {
            let (x, y) = (left + (j as f64 + 0.5) * CELL, self.top - 6.0);
            let turned = format!(" transform=\"rotate(-90 {x:.1} {y:.1}) translate(0 4)\"");
            // Words that are no wider than their column stand upright.
            if self.head <= CELL { words(x, y, "middle", "", word) } else { words(x, y, "", &turned, word) }
        };
        let row = |(i, word): (usize, &&str)| {
            let y = self.top + i as f64 * CELL;
            let cells = self.columns.iter().zip(weights.get(i).into_iter().flatten()).enumerate();
            let cells = cells.map(|(j, (column, &weight))| {
                let weight = f64::from(weight);
                let note = format!("{word}, {column}: {}", shown(weight, 3));
                cell(left + j as f64 * CELL, y, (weight - self.low) / (self.high - self.low), &note)
            });
            words(left - 6.0, y + 0.7 * CELL, "end", "", word) + &cells.collect::<String>()
        };
        let columns: String = self.columns.iter().enumerate().map(column).collect();
        columns + &self.rows.iter().enumerate().map(row).collect::<String>()
    }

    /// What the shades mean: five of them, from the least weight to the largest.
    fn scale(&self, left: f64, y: f64) -> String {
        let weight = |shade: f64| shown(self.low + shade * (self.high - self.low), 3);
        let one = |step: u8| {
            let shade = f64::from(step) / 4.0;
            cell(left + f64::from(step) * CELL, y, shade, &weight(shade))
        };
        let shades: String = (0..=4).map(one).collect();
        let (low, high) = (words(left - 6.0, y + 0.7 * CELL, "end", "", &weight(0.0)), weight(1.0));
        shades + &low + &words(left + 5.0 * CELL + 6.0, y + 0.7 * CELL, "", "", &high)
    }
}

/// A curve through points, for instance the loss after each step, with round numbers at both axes. Points that are not
/// finite are left out.
///
/// ```
/// let picture = transformer::picture::curve("Loss", &[(0.0, 3.5), (100.0, 0.8), (200.0, 0.1)]);
/// assert!(picture.contains("polyline"));
/// ```
#[must_use]
pub fn curve(title: &str, points: &[(f64, f64)]) -> String {
    let (width, height) = (640.0, 360.0);
    let points: Vec<(f64, f64)> = points.iter().copied().filter(|&(x, y)| is_drawn(x) && is_drawn(y)).collect();
    let (across, up) = (points.iter().map(|point| point.0), points.iter().map(|point| point.1));
    let (across, up) = (ticks(bounds(across), 8.0), ticks(bounds(up), 6.0));
    let label = up.iter().map(|&tick| text_width(&number(tick))).fold(0.0, f64::max) + 10.0;
    let (left, right, top, bottom) = (MARGIN + label, width - 2.0 * MARGIN, 2.5 * CELL, height - MARGIN - CELL);
    // From numbers to pixels; the first and the last tick are the edges.
    let place = |ticks: &[f64], edges: [f64; 2], number: f64| {
        let (first, last) = (ticks[0], ticks[ticks.len() - 1]);
        edges[0] + (number - first) / (last - first) * (edges[1] - edges[0])
    };
    let mut body = words(MARGIN, MARGIN + 0.7 * CELL, "title", "", title);
    up.iter().for_each(|&tick| {
        let y = place(&up, [bottom, top], tick);
        let _ = write!(body, r#"<line class="grid" x1="{left:.1}" y1="{y:.1}" x2="{right:.1}" y2="{y:.1}"/>"#);
        body += &words(left - 6.0, y + 4.0, "end", "", &number(tick));
    });
    across.iter().for_each(|&tick| {
        let x = place(&across, [left, right], tick);
        let _ = write!(body, r#"<line class="grid" x1="{x:.1}" y1="{top:.1}" x2="{x:.1}" y2="{bottom:.1}"/>"#);
        body += &words(x, bottom + CELL * 0.8, "middle", "", &number(tick));
    });
    let pixel =
        |&(x, y): &(f64, f64)| format!("{:.1},{:.1} ", place(&across, [left, right], x), place(&up, [bottom, top], y));
    let line: String = points.iter().map(pixel).collect();
    let _ = write!(body, r#"<polyline class="curve" points="{}"/>"#, line.trim_end());
    page(title, width, height, &body)
}

/// The whole picture: its ground, its colours on a light and on a dark page, its name for who cannot see it.
fn page(name: &str, width: f64, height: f64, body: &str) -> String {
    let name = escaped(name);
    let style = "text{font:13px sans-serif;fill:#222}.title{font-weight:bold;font-size:15px}.end{text-anchor:end}\
        .middle{text-anchor:middle}.ground{fill:#fff}.cell{fill:#1f5fbf;stroke:#ccc}.none{stroke:#a33}\
        .grid{stroke:#ddd}.curve{fill:none;stroke:#1f5fbf;stroke-width:1.5}\
        @media(prefers-color-scheme:dark){text{fill:#ddd}.ground{fill:#16181d}.cell{fill:#7fb2ff;stroke:#444}\
        .none{stroke:#e88}.grid{stroke:#333}.curve{stroke:#7fb2ff}}";
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"{name}\"><title>{name}</title>\
         <style>{style}</style><rect class=\"ground\" width=\"100%\" height=\"100%\"/>{body}</svg>\n"
    )
}

/// One cell, from 0 (the ground) to 1 (the full colour), with a note; crossed out if it has no finite weight.
fn cell(x: f64, y: f64, shade: f64, note: &str) -> String {
    let (opacity, note) = (if shade.is_finite() { shade.clamp(0.0, 1.0) } else { 0.0 }, escaped(note));
    let (right, bottom) = (x + CELL, y + CELL);
    let cross = format!(
        r#"<path class="none" d="M{x:.1} {y:.1}L{right:.1} {bottom:.1}M{x:.1} {bottom:.1}L{right:.1} {y:.1}"/>"#
    );
    let cross = if shade.is_finite() { "" } else { &cross };
    format!(
        "<rect class=\"cell\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{CELL}\" height=\"{CELL}\" \
         fill-opacity=\"{opacity:.3}\"><title>{note}</title></rect>{cross}"
    )
}

/// A line of text.
fn words(x: f64, y: f64, class: &str, rest: &str, text: &str) -> String {
    format!(r#"<text class="{class}" x="{x:.1}" y="{y:.1}"{rest} xml:space="preserve">{}</text>"#, escaped(text))
}

/// Text as XML holds it. Characters that XML has no way to hold are shown as the sign for a character that is not known.
fn escaped(text: &str) -> String {
    let one = |char: char| match char {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        '\n' | '\r' | '\t' => " ".to_owned(),
        '\u{0}'..'\u{20}' | '\u{fffe}' | '\u{ffff}' => '\u{fffd}'.to_string(),
        other => other.to_string(),
    };
    text.chars().map(one).collect()
}

/// About how wide a text is: letters of Latin, Greek and Cyrillic are narrow, all others may be as wide as high.
fn text_width(text: &str) -> f64 {
    text.chars().map(|char| if char < '\u{1100}' { 7.6 } else { 14.0 }).sum()
}

/// The room for the longest of several words.
fn longest(words: &[&str]) -> f64 {
    words.iter().map(|word| text_width(word)).fold(0.0, f64::max) + 10.0
}

/// Whether a number has a place: it is finite, and so is its distance to others.
fn is_drawn(number: f64) -> bool {
    number.abs() < 1e300
}

/// The least and the largest of those numbers that have a place; 0 and 1 if there are none.
fn bounds(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let finite = numbers.filter(|&number| is_drawn(number));
    finite
        .fold(None, |so_far: Option<(f64, f64)>, x| Some(so_far.map_or((x, x), |(a, b)| (a.min(x), b.max(x)))))
        .unwrap_or((0.0, 1.0))
}

/// Round numbers, at most about `count`, the first of which is not above the least number and the last not below the
/// largest; at least two, for any numbers.
fn ticks((low, high): (f64, f64), count: f64) -> Vec<f64> {
    let size = low.abs().max(high.abs());
    // Numbers that differ by their last digits only are as good as one number.
    let span = if high - low > 1e-6 * size { high - low } else { size.max(1.0) };
    let rough = span / count;
    let power = 10_f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power).into_iter().find(|&step| step >= rough).unwrap_or(rough);
    let (first, last) = ((low / step).floor(), (high / step).ceil());
    let last = if last > first { last } else { first + 1.0 };
    (0..=(last - first) as usize).map(|place| (first + place as f64) * step).collect()
}

/// A number in at most seven digits.
fn number(number: f64) -> String {
    shown(number, 7)
}

/// A number in at most so many digits, as many of them before the point as there are.
fn shown(number: f64, digits: u32) -> String {
    let size = number.abs();
    if size != 0.0 && !(1e-4..1e7).contains(&size) {
        return if size < 1e-12 { "0".to_owned() } else { format!("{number:.1e}") };
    }
    let before = if size == 0.0 { 0.0 } else { size.log10().floor() };
    let places = (f64::from(digits) - 1.0 - before).max(0.0) as usize;
    let text = format!("{number:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}
