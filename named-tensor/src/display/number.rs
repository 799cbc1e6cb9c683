//! One number in a table: its digits, and how a column of them is aligned.
//!
//! Lives here: at most six significant digits, no trailing zeros, points below each other.
//! Not here: which numbers are printed (`display`).

use crate::element::{Kind, Stored};

/// Digits after the first one: six significant digits in all.
const FURTHER_DIGITS: usize = 5;

/// The number as it is printed; a real number has `decimals` decimals if they are asked for.
pub(super) fn text<S: Stored>(number: S, decimals: Option<usize>) -> String {
    match (S::KIND, decimals) {
        (Kind::Index | Kind::Bool, _) => format!("{number:?}"),
        (Kind::F32 | Kind::F64 | Kind::Bf16, Some(decimals)) => format!("{:.decimals$}", number.to_f64()),
        (Kind::F32 | Kind::F64 | Kind::Bf16, None) => real(number.to_f64()),
    }
}

/// At most six significant digits. From a million on, and below a ten thousandth, with an exponent.
fn real(number: f64) -> String {
    let scientific = format!("{number:.FURTHER_DIGITS$e}");
    // Infinities and NaN have neither a mantissa nor an exponent.
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    match exponent.parse::<i32>() {
        Ok(exponent @ -4..=5) => {
            let decimals = FURTHER_DIGITS.saturating_add_signed(-(exponent as isize));
            trimmed(&format!("{number:.decimals$}")).to_owned()
        }
        _ => format!("{}e{exponent}", trimmed(mantissa)),
    }
}

/// Without zeros at the end of the decimals.
fn trimmed(digits: &str) -> &str {
    if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits }
}

/// The cells of a column, padded to one width with their points (or exponents) below each other.
pub(super) fn aligned(cells: Vec<String>) -> Vec<String> {
    let point = |cell: &str| cell.find(['.', 'e']).map_or(cell.chars().count(), |at| cell[..at].chars().count());
    let left = cells.iter().map(|cell| point(cell)).max().unwrap_or(0);
    let right = cells.iter().map(|cell| cell.chars().count() - point(cell)).max().unwrap_or(0);
    let pad = |cell: String| format!("{:1$}{cell:<2$}", "", left - point(&cell), right + point(&cell));
    cells.into_iter().map(pad).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_real_number_has_at_most_six_significant_digits_and_no_idle_zeros() {
        let cases = [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (100.0, "100"),
            (1.0 / 3.0, "0.333333"),
            (200.0 / 3.0, "66.6667"),
            (123_456.7, "123457"),
            (999_999.5, "1e6"),
            (1_234_567.0, "1.23457e6"),
            (0.0001, "0.0001"),
            (0.000_099_999_96, "0.0001"),
            (0.000_012_345_678, "1.23457e-5"),
            (1e-300, "1e-300"),
            (f64::MAX, "1.79769e308"),
            (5e-324, "4.94066e-324"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "NaN"),
        ];
        for (number, printed) in cases {
            assert_eq!(text(number, None), printed);
        }
        assert_eq!(text(0.1_f32, None), "0.1");
    }

    #[test]
    fn positions_and_truth_values_are_printed_whole() {
        assert_eq!(text(9_007_199_254_740_993_i64, None), "9007199254740993");
        assert_eq!((text(true, Some(3)), text(false, None)), ("true".to_owned(), "false".to_owned()));
    }

    #[test]
    fn decimals_that_are_asked_for_are_printed() {
        assert_eq!(text(2.0_f32 / 3.0, Some(2)), "0.67");
        assert_eq!(text(-1.0, Some(0)), "-1");
        assert_eq!(text(f32::NAN, Some(2)), "NaN");
    }

    #[test]
    fn a_column_has_its_points_below_each_other() {
        let cells = ["1", "-12.25", "0.5", "-inf", "2e-7"].map(str::to_owned).to_vec();
        assert_eq!(aligned(cells), ["   1   ", " -12.25", "   0.5 ", "-inf   ", "   2e-7"]);
    }
}
