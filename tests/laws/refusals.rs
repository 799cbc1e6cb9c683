//! What is refused at run time: one clear error that names the axis and both sizes, never a panic, never a number.
//!
//! Lives here: sizes that clash, positions that do not exist, sizes too large. Not here: wrong names, which the
//! compiler refuses (`ui`), parameters (`parameters`), and files (`files`).

use std::panic::Location;

use named_tensor::Result;
use named_tensor::prelude::*;
use named_tensor_tests::axes::{batch, depth, emb, heads, height, kernel, key, layer, seq, vocab, width};
use named_tensor_tests::strategies::cases;
use proptest::prelude::*;

type Matrix = Tensor<R![height, width], f64>;

fn zeros(h: usize, w: usize) -> Matrix {
    Tensor::zeros((height.of(h), width.of(w)))
}

/// Asserts the kind of an error and that its message has all the words, and that it says where: in the caller's file.
#[track_caller]
pub(crate) fn refused<T: std::fmt::Debug>(result: Result<T>, kind: ErrorKind, words: &[&str]) {
    let error = result.unwrap_err();
    let text = error.to_string();
    assert_eq!(error.kind(), kind, "{text}");
    for word in words {
        assert!(text.contains(word), "`{word}` is not in: {text}");
    }
    // Not in a closure, whose caller is here.
    let file = Location::caller().file();
    assert!(error.place().is_some_and(|place| place.file() == file), "says where: {text}");
}

#[test]
fn operands_whose_sizes_clash_on_a_shared_axis_are_refused() {
    let (x, y) = (zeros(2, 3), Tensor::<_, f64>::zeros((width.of(4), depth.of(2))));
    let order = (height, width, depth);
    let words = ["`width`", "3", "4"];
    refused((&x + &y).to_vec(order), ErrorKind::SizeClash, &words);
    refused((&x * &y).to_vec(order), ErrorKind::SizeClash, &words);
    refused(x.maximum(&y).to_vec(order), ErrorKind::SizeClash, &words);
    refused(x.lt(&y).to_vec(order), ErrorKind::SizeClash, &words);
    refused(x.dot(width, &y).to_vec((height, depth)), ErrorKind::SizeClash, &words);
    refused(x.gt(0.0).select(&y, &y).to_vec(order), ErrorKind::SizeClash, &words);
}

#[test]
fn numbers_that_are_copied_must_be_as_many_as_the_sizes_multiply_to() {
    let of = |h: usize, given: usize| Matrix::from_slice((height.of(h), width.of(3)), &[1.0; 9][..given]);
    refused(of(2, 5), ErrorKind::SizeClash, &["height", "width", "6 elements", "5 numbers"]);
    refused(of(2, 9), ErrorKind::SizeClash, &["6 elements", "9 numbers"]);
    refused(of(usize::MAX, 0), ErrorKind::TooLarge, &["`from_slice`", "height"]);
    assert_eq!(of(2, 6).unwrap().to_vec((width, height)).unwrap(), [1.0; 6]);
    // As large as lies in memory of another kind.
    let many: Vec<f32> = (0..1 << 21).map(|i| i as f32).collect();
    let copied = Tensor::from_slice((height.of(1 << 10), width.of(1 << 11)), &many).unwrap();
    assert!(copied.to_vec((height, width)).unwrap() == many, "the same numbers");
}

#[test]
fn a_size_of_one_is_not_stretched() {
    let (x, y) = (zeros(2, 1), zeros(2, 4));
    refused((&x + &y).to_vec((height, width)), ErrorKind::SizeClash, &["`width`", "1", "4"]);
    refused(x.dot(width, &y).to_vec(height), ErrorKind::SizeClash, &["`width`", "1", "4"]);
    refused(x.concat(height, &y).to_vec((height, width)), ErrorKind::SizeClash, &["`width`", "1", "4"]);
}

#[test]
fn an_aligned_axis_of_a_contraction_must_have_one_size() {
    let x = Tensor::<_, f64>::zeros((batch.of(2), key.of(3)));
    let y = Tensor::<_, f64>::zeros((batch.of(5), key.of(3)));
    refused(x.dot(key, &y).to_vec(batch), ErrorKind::SizeClash, &["`batch`", "2", "5"]);
}

#[test]
fn a_matrix_that_is_not_square_has_neither_determinant_nor_inverse() {
    let x = zeros(2, 3);
    let words = ["`height`", "2", "`width`", "3", "square"];
    refused(x.det(height, width).checked(), ErrorKind::SizeClash, &words);
    refused(x.inv(height, width).checked(), ErrorKind::SizeClash, &words);
}

#[test]
fn a_singular_matrix_has_a_determinant_and_no_inverse() {
    let x = Tensor::<_, f64>::from_fn((batch.of(3), height.of(2), width.of(2)), |[b, i, j]| {
        // The second matrix has two equal rows.
        if b == 1 { 1.0 + j as f64 } else { (1 + i + 2 * j + i * j) as f64 }
    });
    assert_eq!(x.det(height, width).at(batch, 1).item().unwrap(), 0.0);
    let words = ["`height` and `width`", "`batch` 1", "singular"];
    refused(x.inv(height, width).to_vec((batch, height, width)), ErrorKind::Value, &words);
    refused(zeros(2, 2).inv(height, width).to_vec((height, width)), ErrorKind::Value, &["singular"]);
}

#[test]
fn an_error_travels_to_every_result_and_is_found_at_once_when_asked() {
    let failed = &zeros(2, 3) + &zeros(2, 4);
    refused(failed.clone().checked(), ErrorKind::SizeClash, &["`width`"]);
    let later = failed.softmax(width).sum(height).rename(width, depth);
    let error = later.to_vec(depth).unwrap_err();
    assert_eq!(error.to_string(), failed.to_vec((height, width)).unwrap_err().to_string());
    assert!(zeros(2, 3).checked().is_ok());
}

#[test]
fn positions_that_do_not_exist_are_refused() {
    let x = zeros(2, 3);
    refused(x.at(height, 2).to_vec(width), ErrorKind::IndexOutOfRange, &["`height`", "2"]);
    let word = format!("position {} of axis `height`", usize::MAX);
    refused(x.at(height, usize::MAX).to_vec(width), ErrorKind::IndexOutOfRange, &[&word]);
    refused(x.slice(width, 1..4).to_vec((height, width)), ErrorKind::IndexOutOfRange, &["`width`", "3"]);
    refused(x.slice(width, 7..).to_vec((height, width)), ErrorKind::IndexOutOfRange, &["`width`", "7"]);
    let table = Tensor::<_, f64>::zeros((vocab.of(3), emb.of(2)));
    let words = Tensor::indices(seq, vocab, [0, 3, 1]);
    refused(table.index(vocab, &words).to_vec((seq, emb)), ErrorKind::IndexOutOfRange, &["`vocab`", "3"]);
    let before = &words - 1;
    refused(table.index(vocab, &before).to_vec((seq, emb)), ErrorKind::IndexOutOfRange, &["`vocab`", "-1", "3"]);
}

#[test]
#[expect(clippy::reversed_empty_ranges, reason = "a range that runs backwards is what is tested")]
fn a_range_that_runs_backwards_is_refused() {
    refused(zeros(2, 3).slice(width, 2..1).to_vec((height, width)), ErrorKind::Value, &["`width`", "2", "1"]);
}

#[test]
fn as_many_numbers_as_places_are_needed() {
    let sizes = (height.of(2), width.of(3));
    refused(Tensor::<_, f64>::from_vec(sizes, vec![0.0; 5]), ErrorKind::SizeClash, &["6", "5"]);
    refused(Tensor::<_, f64>::from_vec(sizes, vec![0.0; 7]), ErrorKind::SizeClash, &["6", "7"]);
}

#[test]
fn a_split_needs_sizes_whose_product_is_the_size() {
    let x = Tensor::<_, f64>::zeros(layer.of(12));
    let order = (heads, key);
    refused(x.split(layer, (heads.of(5), key)).to_vec(order), ErrorKind::SizeClash, &["`layer`", "12", "5"]);
    refused(x.split(layer, (heads.of(3), key.of(5))).to_vec(order), ErrorKind::SizeClash, &["`layer`", "12"]);
    assert!(x.split(layer, (heads.of(0), key)).to_vec(order).is_err());
    assert!(x.split(layer, (heads, key)).to_vec(order).is_err());
}

#[test]
fn windows_that_do_not_fit_are_refused() {
    let x = Tensor::<_, f64>::zeros(seq.of(4));
    let order = (seq, kernel);
    assert!(x.unroll(seq, kernel.of(5)).to_vec(order).is_err());
    assert!(x.unroll(seq, kernel.of(0)).to_vec(order).is_err());
    assert!(x.pool(seq, kernel.of(3)).to_vec(order).is_err());
    let words = ["needs windows of axis `seq`", "0, 0 apart"];
    refused(x.pool(seq, kernel.of(0)).to_vec(order), ErrorKind::Value, &words);
}

#[test]
fn sizes_whose_product_cannot_be_counted_are_refused() {
    let large = usize::MAX / 2;
    refused(
        Tensor::<_, f64>::zeros((height.of(large), width.of(3))).checked(),
        ErrorKind::TooLarge,
        &["height", "width"],
    );
    refused(
        Tensor::<_, f64>::zeros((height.of(usize::MAX >> 12), width.of(usize::MAX >> 12))).checked(),
        ErrorKind::TooLarge,
        &[],
    );
    refused(
        Tensor::<_, f64>::from_vec((height.of(large), width.of(large)), vec![]),
        ErrorKind::TooLarge,
        &["`from_vec`"],
    );
    refused(
        Tensor::<_, f64>::from_fn((height.of(large), width.of(large)), |_| 0.0).checked(),
        ErrorKind::TooLarge,
        &[],
    );
    let square = Tensor::<_, f64>::zeros((height.of(1 << 20), width.of(1 << 20)));
    let cube = &square + &Tensor::<_, f64>::zeros(depth.of(1 << 31));
    refused(cube.checked(), ErrorKind::TooLarge, &["height", "width", "depth"]);
}

#[test]
fn an_empty_tensor_may_have_an_axis_of_any_size() {
    let empty = Tensor::<_, f64>::zeros((height.of(0), width.of(usize::MAX)));
    assert_eq!(empty.to_vec((height, width)).unwrap(), [0.0; 0]);
}

#[cfg(target_pointer_width = "64")]
#[test]
fn a_number_that_no_position_can_be_is_refused_where_it_is_added() {
    let words = Tensor::indices(seq, vocab, [0, 1]);
    let none = ["18446744073709551615 is no position of the axis `vocab`"];
    refused((&words + usize::MAX).checked(), ErrorKind::IndexOutOfRange, &none);
    refused((&words - usize::MAX).checked(), ErrorKind::IndexOutOfRange, &none);
}

#[test]
fn a_position_before_the_first_is_refused_where_it_is_read_and_one_that_no_tensor_holds_where_it_is_written() {
    let words = Tensor::indices(seq, vocab, [0, 1]);
    let before = &words - 1;
    refused(before.to_vec(seq), ErrorKind::IndexOutOfRange, &["-1", "`vocab`"]);
    refused(before.iter(seq).map(Iterator::count), ErrorKind::IndexOutOfRange, &["-1", "`vocab`"]);
    refused(before.at(seq, 0).item(), ErrorKind::IndexOutOfRange, &["-1", "`vocab`"]);
    assert_eq!(before.real::<f64>().to_vec(seq).unwrap(), [-1.0, 0.0], "as a number it is what it is");
    assert_eq!((&before + 1).to_vec(seq).unwrap(), [0, 1], "and on the way it may be there");
    let largest = Tensor::indices(seq, vocab, [usize::MAX >> 1]);
    assert_eq!(largest.to_vec(seq).unwrap(), [usize::MAX >> 1]);
    let Ok(beyond) = usize::try_from(1_u64 << 63) else { return };
    let words = ["9223372036854775808", "`vocab`"];
    refused(Tensor::indices(seq, vocab, [beyond]).checked(), ErrorKind::IndexOutOfRange, &words);
    refused(Tensor::indices_from_vec(seq.of(1), vocab, vec![beyond]), ErrorKind::IndexOutOfRange, &words);
}

#[cfg(target_pointer_width = "64")]
#[test]
fn a_function_of_more_positions_than_memory_holds_is_refused() {
    let numbers = Tensor::<_, f64>::from_fn((height.of(1 << 23), width.of(1 << 23)), |_| 0.0);
    refused(numbers.checked(), ErrorKind::TooLarge, &[]);
}

#[test]
fn a_condition_of_a_function_that_does_not_hold_names_the_function_and_the_sizes() {
    named! {
        fn Paired(X: R[key], Y: R[layer]) -> R[key] where |key| = |layer| {
            X * sum_layer(Y)
        }
    }
    let (x, y) = (Tensor::<_, f64>::zeros(key.of(2)), Tensor::<_, f64>::zeros(layer.of(3)));
    let error = Paired(&x, &y).to_vec(key).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Condition);
    for word in ["Paired", "|key| = |layer|", "2", "3"] {
        assert!(error.to_string().contains(word), "`{word}` is not in: {error}");
    }
}

#[test]
fn a_clash_inside_an_equation_names_the_equation() {
    named! {
        fn Scores(Q: R[key], K: R[seq, key]) -> R[seq] {
            Q dot_key K
        }
    }
    let (q, k) = (Tensor::<_, f64>::zeros(key.of(2)), Tensor::<_, f64>::zeros((seq.of(4), key.of(3))));
    let error = Scores(&q, &k).to_vec(seq).unwrap_err();
    assert_eq!((error.kind(), error.equation()), (ErrorKind::SizeClash, Some("Scores")));
    for word in ["Scores", "`key`", "2", "3", "refusals.rs"] {
        assert!(error.to_string().contains(word), "`{word}` is not in: {error}");
    }
}

#[test]
fn a_refusal_along_an_axis_in_an_equation_says_where_in_its_text_it_is() {
    named! {
        fn Product(X: R[seq, key]) -> R[key] { max_seq(X) * argmax_seq(X)_{seq(0)} }
        fn Best(X: R[seq, key]) -> R[seq, key] { maxk_seq(X, 3) }
        fn Places(X: R[seq, key]) -> seq[seq, key] { argmaxk_seq(X, 3) }
        fn Volume(X: R[seq, key]) -> R[] { det_{seq, key}(X) }
        fn Inverse(X: R[seq, key]) -> R[seq, key] { inv_{seq, key}(X) }
        fn Shifted(X: R[seq]; b: R[seq]?) -> R[seq] { X + b }
    }
    let x = |size| Tensor::<_, f64>::ones((seq.of(size), key.of(3)));
    refused(Product(&x(0)).checked(), ErrorKind::Empty, &["`max`", "`seq`", "Product"]);
    refused(Best(&x(2)).checked(), ErrorKind::IndexOutOfRange, &["`maxk`: 3 positions of axis `seq`, whose size is 2"]);
    refused(Places(&x(2)).checked(), ErrorKind::IndexOutOfRange, &["`argmaxk`: 3 positions of axis `seq`"]);
    refused(Volume(&x(2)).checked(), ErrorKind::SizeClash, &["square", "Volume"]);
    refused(Inverse(&x(2)).checked(), ErrorKind::SizeClash, &["square", "Inverse"]);
    refused(Inverse(&x(3)).to_vec((seq, key)), ErrorKind::Value, &["singular"]);
    let shifted = Shifted { b: Some(Tensor::<_, f64>::ones(seq.of(4))) };
    refused(shifted.apply(&Tensor::ones(seq.of(5))).checked(), ErrorKind::SizeClash, &["`seq`", "5", "4", "Shifted"]);
}

#[test]
fn more_of_the_largest_than_there_are_is_refused_by_that_name() {
    let x = zeros(2, 3);
    let words = ["`maxk`: 4 positions of axis `width`, whose size is 3"];
    refused(x.maxk(width, kernel.of(4)).checked(), ErrorKind::IndexOutOfRange, &words);
    let words = ["`argmaxk`: 1 positions of axis `height`, whose size is 0"];
    refused(zeros(0, 3).argmaxk(height, height.of(1)).checked(), ErrorKind::IndexOutOfRange, &words);
}

#[test]
fn a_position_that_does_not_exist_is_told_of_where_it_is_read_even_if_only_the_gradient_is_asked_for() {
    let table = Tensor::<_, f64>::ones((vocab.of(3), emb.of(2)));
    let loss = table.index(vocab, &Tensor::indices(seq, vocab, [0, 3])).sum((seq, emb));
    let words = ["out of range in `index`: position 3 of axis `vocab`, whose size is 3"];
    refused(grad(&loss, &table).to_vec((vocab, emb)), ErrorKind::IndexOutOfRange, &words);
}

#[test]
fn a_derivative_whose_direction_has_another_size_is_refused_by_its_name() {
    let (x, wrong) = (zeros(2, 3), zeros(2, 4));
    let words = |name: &str| format!("`{name}`: axis `width` has size 3 on the left, 4 on the right");
    refused(vjp(&x.exp(), &wrong, &x).checked(), ErrorKind::SizeClash, &[&words("vjp")]);
    refused(jvp(&x.exp(), &x, &wrong).checked(), ErrorKind::SizeClash, &[&words("jvp")]);
}

#[test]
fn a_size_below_nothing_is_refused_as_such() {
    named! { fn Shorter(X: R[seq]) -> R[seq] { X_{seq(..|seq| - 3)} } }
    let shorter = Shorter(&Tensor::<_, f64>::zeros(seq.of(2)));
    refused(
        shorter.checked(),
        ErrorKind::Condition,
        &["a whole number of at least 0, but `|seq| - 3` is -1", "Shorter"],
    );
    named! { fn Half(X: R[seq]) -> R[seq] { X_{seq(..|seq| / 2)} } }
    let half = Half(&Tensor::<_, f64>::zeros(seq.of(3)));
    refused(
        half.checked(),
        ErrorKind::Condition,
        &["but `|seq| / 2` is 1.5; the whole part of a quotient is `div(a, b)`"],
    );
}

mod near {
    named_tensor::axes! { embed_slot2 }
}

mod far {
    named_tensor::axes! { embed_sample9 }
}

#[test]
fn two_axes_of_one_code_from_two_places_are_told_by_their_names_where_they_meet() {
    use far::embed_sample9;
    use near::embed_slot2;
    let (x, y) = (Tensor::new(embed_slot2, [1.0, 2.0]), Tensor::new(embed_sample9, [1.0, 2.0, 3.0]));
    let words = ["axis `embed_sample9` is told from `embed_slot2` by its name alone", "give one of them another name"];
    refused((&x * &y).to_vec(embed_slot2), ErrorKind::Lifted, &words);
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn clashing_sizes_are_always_refused_and_equal_ones_never(h in 0_usize..4, w in 0_usize..4, v in 0_usize..4) {
        let (x, y) = (zeros(h, w), zeros(h, v));
        prop_assert_eq!((&x + &y).to_vec((height, width)).is_ok(), w == v);
        prop_assert_eq!(x.dot(width, &y).to_vec(height).is_ok(), w == v);
        prop_assert_eq!(x.concat(height, &y).to_vec((height, width)).is_ok(), w == v);
        prop_assert!(x.concat(width, &y).to_vec((height, width)).is_ok());
    }

    #[test]
    fn any_position_and_range_is_either_right_or_refused(
        n in 0_usize..5, i in 0_usize..7, start in 0_usize..7, end in 0_usize..7,
    ) {
        let x = Tensor::<_, f64>::from_fn(seq.of(n), |[i]| i as f64);
        match x.at(seq, i).item() {
            Ok(value) => prop_assert!(i < n && value == i as f64),
            Err(error) => prop_assert!(i >= n && error.kind() == ErrorKind::IndexOutOfRange),
        }
        match x.slice(seq, start..end).to_vec(seq) {
            Ok(values) => prop_assert_eq!(values, (start..end).map(|i| i as f64).collect::<Vec<_>>()),
            Err(_) => prop_assert!(start > end || end > n),
        }
    }

    #[test]
    fn any_split_is_either_right_or_refused(
        n in 0_usize..13, first in 0_usize..5, second in prop::option::of(0_usize..5),
    ) {
        let x = Tensor::<_, f64>::from_fn(layer.of(n), |[i]| i as f64);
        let split = match second {
            Some(second) => x.split(layer, (heads.of(first), key.of(second))),
            None => x.split(layer, (heads.of(first), key)),
        };
        let fits = match second {
            Some(second) => first * second == n,
            None => first > 0 && n % first == 0,
        };
        match split.to_vec((heads, key)) {
            Ok(values) => {
                prop_assert!(fits, "{n} as {first} by {second:?}");
                prop_assert_eq!(values, (0..n).map(|i| i as f64).collect::<Vec<_>>());
            }
            Err(error) => prop_assert!(!fits, "{n} as {first} by {second:?}: {error}"),
        }
    }
}
