//! Tensors and parameters in safetensors files come back as they were; anything else is one clear error.
//!
//! Lives here: round trips on random layouts, files cut short or changed at random, parameters that do not fit.
//! Not here: the format byte by byte, which the library tests beside its code.

use named_tensor::file::Tensors;
use named_tensor::prelude::*;
use named_tensor_tests::axes::{chans, depth, height, key, out, width};
use named_tensor_tests::closeness::{Bound, assert_close};
use named_tensor_tests::reference::rearrangement::reorder;
use named_tensor_tests::strategies::{cases, grids, in_both_precisions, laid_out, layout};
use proptest::prelude::*;
use proptest::sample::Index as Anywhere;

named! {
    fn Linear(X: R[chans]; W: R[chans, out], b: R[out] = 0) -> R[out] {
        X dot_chans W + b
    }

    fn Twice(X: R[chans]; first: Linear, g: R[out] = 1) -> R[out] {
        first(X) * g
    }
}

fn twice(seed: u64, outputs: usize) -> Twice {
    Twice::init(&mut seeded(seed), (chans.of(3), out.of(outputs))).unwrap()
}

fn bytes(tensors: &Tensors) -> Vec<u8> {
    let mut bytes = Vec::new();
    tensors.write(&mut bytes).unwrap();
    bytes
}

/// A file of two tensors, one of `f32` and one of `f64`.
fn file() -> Vec<u8> {
    let mut tensors = Tensors::new();
    tensors.insert("x", &Tensor::new((height, width), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])).unwrap();
    tensors.insert("y", &Tensor::from_array(key, [7.0_f64, 8.0])).unwrap();
    bytes(&tensors)
}

/// Reads all a file may have; whatever is read has as many numbers as its sizes say.
fn read(bytes: &[u8]) -> named_tensor::Result<(Vec<f32>, Vec<f64>)> {
    let tensors = Tensors::from_bytes(bytes)?;
    let x: Tensor<R![height, width]> = tensors.get("x")?;
    let y: Tensor<R![key], f64> = tensors.get("y")?;
    let (numbers, others) = (x.to_vec((height, width))?, y.to_vec(key)?);
    assert_eq!((numbers.len(), others.len()), (x.size(height) * x.size(width), y.size(key)));
    Ok((numbers, others))
}

#[test]
fn the_file_of_these_tests_is_read_as_written() {
    assert_eq!(read(&file()).unwrap(), (vec![1., 2., 3., 4., 5., 6.], vec![7., 8.]));
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn a_tensor_of_any_layout_comes_back_in_any_order_of_its_axes(
        [x] in grids(|[h, w, d]| [vec![h, w, d]]), l in layout(),
    ) {
        in_both_precisions!({
            let mut tensors = Tensors::new();
            tensors.insert("x", &laid_out!(Number, &x, l, (height, width, depth))).unwrap();
            let tensors = Tensors::from_bytes(&bytes(&tensors)).unwrap();
            let back: Tensor<R![depth, width, height], Number> = tensors.get("x").unwrap();
            assert_close(&back.to_vec((height, width, depth)).unwrap(), &x, Bound::EXACT);
            assert_close(&back.to_vec((depth, height, width)).unwrap(), &reorder(&x, &[2, 0, 1]), Bound::EXACT);
        });
    }

    #[test]
    fn a_file_cut_short_anywhere_is_refused(cut: Anywhere) {
        let mut bytes = file();
        bytes.truncate(cut.index(bytes.len()));
        let error = read(&bytes).unwrap_err();
        prop_assert_eq!(error.kind(), ErrorKind::File);
    }

    #[test]
    fn a_file_with_changed_bytes_is_refused_or_read_and_never_a_panic(
        changes in prop::collection::vec((any::<Anywhere>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = file();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Err(error) = read(&bytes) {
            prop_assert_eq!(error.kind(), ErrorKind::File);
        }
    }

    #[test]
    fn bytes_of_any_kind_are_refused_or_read_and_never_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(read(&bytes).is_err());
    }
}

#[test]
fn parameters_come_back_under_dotted_names() {
    let (saved, mut loaded) = (twice(1, 2), twice(2, 2));
    let tensors = Tensors::from_bytes(&bytes(&saved.to_tensors().unwrap())).unwrap();
    assert_eq!(tensors.names().collect::<Vec<_>>(), ["first.W", "first.b", "g"]);
    assert_ne!(loaded.first.W.to_vec((chans, out)).unwrap(), saved.first.W.to_vec((chans, out)).unwrap());
    loaded.load_from(&tensors).unwrap();
    assert_eq!(loaded.first.W.to_vec((chans, out)).unwrap(), saved.first.W.to_vec((chans, out)).unwrap());
}

#[test]
fn parameters_that_are_missing_unexpected_or_of_another_size_are_listed_in_one_error_and_none_is_changed() {
    let mut loaded = twice(1, 2);
    let before = loaded.first.W.to_vec((chans, out)).unwrap();
    let mut tensors = Tensors::new();
    tensors.insert("first.W", &Tensor::<_, f32>::zeros((chans.of(3), out.of(4)))).unwrap();
    tensors.insert("first.b", &Tensor::<_, f32>::zeros(out.of(2))).unwrap();
    tensors.insert("first.c", &Tensor::<_, f32>::zeros(out.of(2))).unwrap();
    let error = loaded.load_from(&tensors).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::File);
    for word in ["first.W", "4", "first.c", "unexpected", "g", "missing"] {
        assert!(error.to_string().contains(word), "`{word}` is not in: {error}");
    }
    assert_eq!(loaded.first.W.to_vec((chans, out)).unwrap(), before);
}

#[test]
fn a_tensor_over_other_axes_or_of_other_elements_is_refused() {
    let tensors = Tensors::from_bytes(&file()).unwrap();
    let mut changed = tensors.clone();
    for error in [
        tensors.get::<R![height, depth], f32>("x").unwrap_err(),
        tensors.get::<R![height, width], f64>("x").unwrap_err(),
        tensors.get::<R![height, width], f32>("z").unwrap_err(),
        tensors.numbers("z").unwrap_err(),
        changed.name_axes("z", height).unwrap_err(),
        changed.name_axes("x", height).unwrap_err(),
        changed.take("z").unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::File, "{error}");
        assert_eq!(error.place().unwrap().file(), file!(), "says where: {error}");
    }
}
