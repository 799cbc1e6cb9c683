//! What is written comes back, whatever the order of axes, and what does not fit is listed.
//! Lives here: everything that whole files can hold. Not here: damaged bytes (`hostile`).

use super::*;

#[test]
fn every_element_comes_back_bit_by_bit() -> Result<()> {
    let numbers = [f32::NAN, -0.0, f32::INFINITY, f32::MIN_POSITIVE / 2.0, f32::from_bits(0x7f80_0001), 1.5];
    let x: Tensor<R![chans, key_]> = Tensor::from_slice((chans.of(2), key_.of(3)), &numbers)?;
    let mut tensors = Tensors::new();
    tensors.insert("x", &x)?;
    tensors.insert("half of x", &Tensor::from_array(key, [0.5_f64, f64::NEG_INFINITY]))?;
    tensors.insert("mask", &Tensor::from_array(key, [true, false, true]))?;
    tensors.insert("tokens", &Tensor::indices(key, vocab, [2, 0]))?;
    tensors.insert("number: one", &Tensor::scalar(1.0_f32))?;
    tensors.insert("nothing", &Tensor::<R![key, chans]>::zeros((key.of(0), chans.of(5))))?;
    let read = Tensors::from_bytes(&bytes(&tensors))?;

    assert_eq!(read.names().collect::<Vec<_>>(), ["half of x", "mask", "nothing", "number: one", "tokens", "x"]);
    let x: Vec<u32> =
        read.get::<R![chans, key_], f32>("x")?.to_vec((chans, key_))?.into_iter().map(f32::to_bits).collect();
    assert_eq!(x, numbers.map(f32::to_bits));
    assert_eq!(read.get::<R![key], f64>("half of x")?.to_vec(key)?, [0.5, f64::NEG_INFINITY]);
    assert_eq!(read.get::<R![key], bool>("mask")?.to_vec(key)?, [true, false, true]);
    assert_eq!(read.get::<R![key], Index<vocab>>("tokens")?.to_vec(key)?, [2, 0]);
    assert_eq!(read.get::<R![], f32>("number: one")?.item()?, 1.0);
    let nothing: Tensor<R![chans, key]> = read.get("nothing")?;
    assert_eq!((nothing.size(chans), nothing.size(key)), (5, 0));
    Ok(())
}

#[test]
fn what_is_stored_in_16_bits_is_written_in_16_bits_and_comes_back_so() -> Result<()> {
    let narrow = linear(3, 5).in_bf16()?;
    let tensors = narrow.to_tensors()?;
    let written = Tensors::from_bytes(&bytes(&tensors))?;
    assert_eq!(format!("{:?}", written.entries["weights"]), "[chans: 3, key: 5] BF16");
    let mut read = linear(4, 5);
    read.load_from(&written)?;
    assert_eq!(read.weights.to_vec((chans, key))?, narrow.weights.to_vec((chans, key))?, "the same numbers");
    assert!(format!("{:?}", read.bias).ends_with("(stored in bf16)"), "{:?}", read.bias);
    assert_eq!(bytes(&read.to_tensors()?), bytes(&tensors), "and the same file");
    // In double precision as well; as positions they are none.
    assert_eq!(written.get::<R![key], f64>("bias")?.to_vec(key)?[2] as f32, narrow.bias.to_vec(key)?[2]);
    let error = written.get::<R![key], Index<vocab>>("bias").map(drop).unwrap_err().to_string();
    assert!(error.contains("holds BF16, but I64 is needed"), "{error}");
    Ok(())
}

#[test]
fn numbers_of_other_precisions_are_taken_as_they_are_or_become_single() -> Result<()> {
    let header = r#"{"b":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]},
        "d":{"dtype":"F64","shape":[1],"data_offsets":[4,12]},"h":{"dtype":"F16","shape":[2],"data_offsets":[12,16]},
        "u":{"dtype":"U8","shape":[1],"data_offsets":[16,17]}}"#;
    let numbers = [&[0x80, 0x3F, 0x40, 0xC0][..], &0.1_f64.to_le_bytes(), &[0, 0x3C, 0, 0xC0], &[7]].concat();
    let file = file(&format!("{header:0$}", header.len().next_multiple_of(8)), &numbers);
    let mut tensors = Tensors::from_bytes(&file)?;
    let all = ["b", "d", "h"].map(|name| tensors.numbers(name).unwrap());
    assert_eq!(all, [vec![1.0, -3.0], vec![0.1], vec![1.0, -2.0]]);
    assert!(matches!(tensors.take("b")?, Buffer::Bf16(numbers) if numbers[1].widened() == -3.0));
    assert!(tensors.take("b").unwrap_err().to_string().contains("is missing"), "it was taken");
    assert_eq!(tensors.take("h")?, Buffer::F32(vec![1.0, -2.0].into()));
    assert!(tensors.numbers("u").unwrap_err().to_string().contains("holds U8, but real numbers are needed"));
    // What is no number of ours is written as it was read.
    let mut again = Vec::new();
    Tensors::from_bytes(&file)?.write(&mut again).unwrap();
    let again = Tensors::from_bytes(&again)?;
    assert_eq!(["b", "d", "h"].map(|name| again.numbers(name).unwrap()), all);
    Ok(())
}

#[test]
fn the_same_tensors_give_the_same_bytes_with_aligned_numbers() -> Result<()> {
    let mut tensors = Tensors::new();
    tensors.insert("a", &Tensor::from_array(key, [true]))?;
    tensors.insert("b", &Tensor::scalar(1.0_f32))?;
    tensors.insert("c", &Tensor::new((key, chans), [[1.0], [2.0]]).eval()?)?;
    let text = concat!(
        r#"{"__metadata__":{"named_axes":"a: key\nb: \nc: chans, key"},"#,
        r#""b":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"#,
        r#""c":{"dtype":"F32","shape":[1,2],"data_offsets":[4,12]},"#,
        r#""a":{"dtype":"BOOL","shape":[1],"data_offsets":[12,13]}}"#,
    );
    let header = format!("{text:0$}", text.len().next_multiple_of(8));
    let numbers = [0, 0, 128, 63, 0, 0, 128, 63, 0, 0, 0, 64, 1];
    assert_eq!(bytes(&tensors), file(&header, &numbers));
    Ok(())
}

#[test]
fn a_file_may_have_its_axes_in_any_order() -> Result<()> {
    let header = r#"{"__metadata__":{"named_axes":"bias: key\nweights:key,chans"},
        "weights":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},
        "bias":{"dtype":"F32","shape":[2],"data_offsets":[24,32]}}"#;
    let numbers = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0].map(f32::to_le_bytes);
    let mut linear = linear(0, 2);
    linear.load_from(&Tensors::from_bytes(&file(header, numbers.as_flattened()))?)?;
    assert_eq!(linear.weights.to_vec((key, chans))?, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(linear.bias.to_vec(key)?, [7.0, 8.0]);
    Ok(())
}

#[test]
fn one_error_lists_everything_that_does_not_fit_and_nothing_is_loaded() -> Result<()> {
    let folder = Folder::new("misfits");
    let path = folder.0.join("model.safetensors");
    let mut tensors = Tensors::new();
    tensors.insert("first.weights", &Tensor::new((chans, key), [[1.0, 2.0, 3.0]]))?;
    tensors.insert("first.bias", &Tensor::new(key, [1.0, 2.0]))?;
    tensors.insert("second.weights", &Tensor::new((chans, vocab), [[1.0], [2.0]]))?;
    tensors.insert("second.bias", &Tensor::from_array(key, [1.0_f64, 2.0]))?;
    tensors.insert("third.bias", &Tensor::new(key_, [1.0]))?;
    tensors.save(&path)?;
    let mut model = model(0);
    let before = bits(&model);
    let error = model.load(&path).expect_err("nothing fits but one bias");
    let expected = format!(
        "the parameters are not those of `{}`:
  `first.weights` has the sizes [chans: 1, key: 3], but [chans: 3, key: 2] are needed
  `second.weights` has the axes [chans: 2, vocab: 1], but [chans, key] are needed
  `second.bias` holds F64, but F32 is needed: `Tensors::numbers` reads it as f32
  `scale` [] F32 is missing
  `third.bias` [key_: 1] is unexpected
no parameter was changed, at ",
        path.display()
    );
    assert!(error.to_string().starts_with(&expected), "{error}");
    assert!(error.to_string().contains("fitting.rs"), "the error names the caller's place: {error}");
    assert_eq!(error.kind(), ErrorKind::File);
    assert_eq!(bits(&model), before);
    Ok(())
}

#[test]
fn a_file_without_names_of_axes_is_read_only_when_they_are_stated() -> Result<()> {
    let header = r#"{"weight":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}"#;
    let numbers = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0].map(f32::to_le_bytes);
    let mut tensors = Tensors::from_bytes(&file(header, numbers.as_flattened()))?;
    let error = tensors.get::<R![chans, key], f32>("weight").expect_err("its axes are not named");
    let words = "the tensor `weight` does not name its axes, whose sizes are [2, 3]: say `name_axes` first, at ";
    assert!(error.to_string().starts_with(words), "{error}");
    let error = tensors.name_axes("weight", key).expect_err("it has two axes");
    assert!(
        error.to_string().starts_with("the tensor `weight` with the sizes [2, 3] cannot have the axes [key]"),
        "{error}"
    );
    tensors.name_axes("weight", (key, chans))?;
    let weight: Tensor<R![chans, key]> = tensors.get("weight")?;
    assert_eq!(weight.to_vec((chans, key))?, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    let again: Tensor<R![chans, key]> = Tensors::from_bytes(&bytes(&tensors))?.get("weight")?;
    assert_eq!(again.to_vec((key, chans))?, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    Ok(())
}

#[test]
fn a_tensor_too_large_to_be_held_is_told_where_it_was_inserted() {
    let mut tensors = Tensors::new();
    let large = Tensor::<R![key]>::ones(key.of(1 << 56));
    let (error, line) = (tensors.insert("x", &large).expect_err("there is no memory"), line!());
    let place = error.place().expect("a place");
    assert_eq!((error.kind(), place.file(), place.line()), (ErrorKind::TooLarge, file!(), line));
}

#[test]
fn absent_tensors_and_names_that_cannot_be_are_refused() -> Result<()> {
    let mut tensors = Tensors::new();
    tensors.insert("x", &Tensor::new(key, [1.0]))?;
    let one = Tensor::scalar(1.0_f32);
    let errors = [
        (tensors.get::<R![key], f32>("y").map(drop), "the tensor `y` is missing"),
        (tensors.get::<R![chans], f32>("x").map(drop), "the tensor `x` has the axes [key: 1], but [chans] are needed"),
        (tensors.get::<R![key], bool>("x").map(drop), "the tensor `x` holds F32, but BOOL is needed"),
        (tensors.name_axes("y", key), "the tensor `y` is missing"),
        (tensors.insert("x", &one), "cannot add the tensor `x`: it is there already"),
        (tensors.insert("a\nb", &one), "cannot add the tensor `a\nb`: the format does not allow this name"),
        (
            tensors.insert("__metadata__", &one),
            "cannot add the tensor `__metadata__`: the format does not allow this name",
        ),
    ];
    for (found, expected) in errors {
        let error = found.expect_err(expected);
        assert!(error.to_string().starts_with(expected), "{error}");
        assert_eq!(error.kind(), ErrorKind::File);
    }
    let clash = Tensor::new(key, [1.0]) + Tensor::new(key, [1.0, 2.0]);
    assert_eq!(tensors.insert("z", &clash).map_err(|error| error.kind()), Err(ErrorKind::SizeClash));
    Ok(())
}
