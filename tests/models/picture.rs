//! Pictures: that they are XML whatever the words are, and that shades and curves are where the numbers say (row 3.6).
//!
//! Not here: weights of a model (`alignment`, `seq2seq`, `practical`).

use named_tensor_tests::strategies::cases;
use proptest::prelude::*;
use roxmltree::{Document, Node};
use transformer::picture::{curve, heat_map, heat_maps};

fn read(picture: &str) -> Document<'_> {
    Document::parse(picture).unwrap_or_else(|error| panic!("{error}:\n{picture}"))
}

fn number(of: Node<'_, '_>, attribute: &str) -> f64 {
    of.attribute(attribute).unwrap_or_else(|| panic!("no {attribute}")).parse().expect("a number")
}

fn with_class<'a>(document: &'a Document<'a>, class: &str) -> Vec<Node<'a, 'a>> {
    document.descendants().filter(|node| node.attribute("class") == Some(class)).collect()
}

/// All text that is shown, in the order in which it is drawn.
fn shown(document: &Document<'_>) -> Vec<String> {
    let words = document.descendants().filter(|node| node.has_tag_name("text"));
    words.map(|node| node.text().unwrap_or_default().to_owned()).collect()
}

/// (row, column, opacity) of each cell that has a note of words, by where it stands.
fn cells(document: &Document<'_>) -> Vec<(f64, f64, f64)> {
    let cells = with_class(document, "cell");
    let noted = cells.into_iter().filter(|cell| cell.first_element_child().unwrap().text().unwrap().contains(": "));
    noted.map(|cell| (number(cell, "y"), number(cell, "x"), number(cell, "fill-opacity"))).collect()
}

fn table() -> impl Strategy<Value = (Vec<String>, Vec<String>, Vec<Vec<f32>>)> {
    let word = || prop::collection::vec(any::<char>(), 0..5).prop_map(|chars| chars.into_iter().collect::<String>());
    (prop::collection::vec(word(), 0..5), prop::collection::vec(word(), 0..5)).prop_flat_map(|(rows, columns)| {
        let weights = prop::collection::vec(prop::collection::vec(any::<f32>(), columns.len()), rows.len());
        (Just(rows), Just(columns), weights)
    })
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn s3_6_a_table_of_any_words_and_weights_is_well_formed((rows, columns, weights) in table(), title: String) {
        let (r, c): (Vec<&str>, Vec<&str>) = (rows.iter().map(|w| &**w).collect(), columns.iter().map(|w| &**w).collect());
        let picture = heat_map(&title, &r, &c, &weights);
        let document = read(&picture);
        prop_assert_eq!(cells(&document).len(), rows.len() * columns.len());
        let crossed = weights.iter().flatten().filter(|weight| !weight.is_finite()).count();
        prop_assert_eq!(with_class(&document, "none").len(), crossed);
        let root = document.root_element();
        let inside = |x: f64, y: f64| x >= 0.0 && y >= 0.0 && x <= number(root, "width") && y <= number(root, "height");
        for cell in with_class(&document, "cell") {
            prop_assert!(inside(number(cell, "x"), number(cell, "y")));
            prop_assert!((0.0..=1.0).contains(&number(cell, "fill-opacity")));
        }
    }

    #[test]
    fn a_curve_through_any_points_is_well_formed_and_stays_inside(
        points in prop::collection::vec((any::<f64>(), any::<f64>()), 0..30), title: String,
    ) {
        let picture = curve(&title, &points);
        let document = read(&picture);
        let line = with_class(&document, "curve")[0].attribute("points").unwrap();
        let drawn: Vec<(f64, f64)> = line.split_whitespace().map(|pair| {
            let (x, y) = pair.split_once(',').unwrap();
            (x.parse().unwrap(), y.parse().unwrap())
        }).collect();
        let kept = points.iter().filter(|(x, y)| x.abs() < 1e300 && y.abs() < 1e300).count();
        prop_assert_eq!(drawn.len(), kept);
        prop_assert!(drawn.iter().all(|&(x, y)| (0.0..=640.0).contains(&x) && (0.0..=360.0).contains(&y)), "{}", line);
    }
}

#[test]
fn s3_6_rows_are_words_downwards_and_columns_words_to_the_right() {
    let weights = [vec![0.8, 0.2, 0.0], vec![0.0, 0.4, 0.6]];
    let picture = heat_map("a < b & \"c\"", &["a", "<b>"], &["x", "&y", "z"], &weights);
    let document = read(&picture);
    assert_eq!(shown(&document), ["0", "0.8", "a < b & \"c\"", "x", "&y", "z", "a", "<b>"]);
    let found = cells(&document);
    assert_eq!(found.iter().map(|cell| cell.2).collect::<Vec<f64>>(), [1.0, 0.25, 0.0, 0.0, 0.5, 0.75]);
    assert!(found[0].0 == found[2].0 && found[0].0 < found[3].0, "rows go down");
    assert!(found[0].1 < found[1].1 && found[0].1 == found[3].1, "columns go to the right");
    let notes = with_class(&document, "cell").into_iter().filter_map(|cell| cell.first_element_child()?.text());
    let notes: Vec<&str> = notes.filter(|note| note.contains(": ")).collect();
    assert_eq!(notes, ["a, x: 0.8", "a, &y: 0.2", "a, z: 0", "<b>, x: 0", "<b>, &y: 0.4", "<b>, z: 0.6"]);
}

#[test]
fn s3_6_tables_side_by_side_have_one_scale() {
    let (left, right) = (vec![vec![1.0_f32, 0.0]], vec![vec![0.5, 0.5]]);
    let picture = heat_maps(&["by hand", "learnt"], &["q"], &["k", "l"], &[&left, &right]);
    let document = read(&picture);
    let found = cells(&document);
    assert_eq!(found.iter().map(|cell| cell.2).collect::<Vec<f64>>(), [1.0, 0.0, 0.5, 0.5]);
    assert!(found[1].1 < found[2].1 && found[1].0 == found[2].0, "the second stands to the right of the first");
    assert!(shown(&document).contains(&"learnt".to_owned()));
}

#[test]
fn a_curve_goes_up_where_its_numbers_do_and_its_axes_have_round_numbers() {
    let picture = curve("Loss", &[(0.0, 3.5), (f64::NAN, 1.0), (100.0, 0.8), (200.0, 0.1)]);
    let document = read(&picture);
    let line = with_class(&document, "curve")[0].attribute("points").unwrap();
    let heights: Vec<f64> =
        line.split_whitespace().map(|pair| pair.split_once(',').unwrap().1.parse().unwrap()).collect();
    assert!(
        heights.len() == 3 && heights[0] < heights[1] && heights[1] < heights[2],
        "downwards is a larger y: {line}"
    );
    let words = shown(&document);
    assert_eq!(words[..9], ["Loss", "0", "1", "2", "3", "4", "0", "50", "100"].map(str::to_owned));
}
