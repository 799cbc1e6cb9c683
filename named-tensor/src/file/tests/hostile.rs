//! Bytes that are no file of ours: each is one clear error, never a panic, never a large allocation.
//! Lives here: headers that lie, truncated files, flipped bytes. Not here: whole files that do not fit (`fitting`).

use super::*;
use crate::file::format;

#[test]
fn headers_that_lie_are_refused_with_the_reason() {
    let one = |dtype: &str, shape: &str, from: &str, to: &str| {
        file(&format!(r#"{{"x":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[{from},{to}]}}}}"#), &[0; 8])
    };
    // Each tensor alone is possible; the last one ends just below 2⁶⁴, where a sum with the header's size wraps around.
    let huge: Vec<String> = (0..8_u64)
        .map(|i| {
            let (start, size) = (i * (u64::MAX / 8), u64::MAX / 8);
            format!(r#""{i}":{{"dtype":"U8","shape":[{size}],"data_offsets":[{start},{}]}}"#, start + size)
        })
        .collect();
    let cases = [
        (vec![], "0 bytes are too few"),
        (vec![1, 0, 0], "3 bytes are too few"),
        (vec![0; 8], "the header is not that of a safetensors file: EOF while parsing"),
        (u64::MAX.to_le_bytes().to_vec(), "the header should have 18446744073709551615 bytes, but 0 follow"),
        (b"The quick brown fox jumps over the lazy dog".to_vec(), "not a safetensors file, or a truncated one"),
        (file("[1, 2]", &[]), "the header is not that of a safetensors file"),
        (file(&"[".repeat(100_000), &[]), "the header is not that of a safetensors file"),
        (file("\u{0}\u{1}", &[]), "the header is not that of a safetensors file"),
        (one("F32", "[2]", "0", "4"), "invalid shape, data type, or offset"),
        (one("F32", "[2]", "4", "12"), "invalid offset for tensor `x`"),
        (one("F32", "[2]", "8", "0"), "invalid offset for tensor `x`"),
        (one("F32", "[1]", "0", "4"), "describes 4 bytes of numbers, but 8 follow"),
        (one("F32", "[3]", "0", "12"), "describes 12 bytes of numbers, but 8 follow"),
        (one("F32", "[4611686018427387904, 4]", "0", "8"), "overflow"),
        (one("F32", "[-1]", "0", "8"), "invalid value"),
        (one("F33", "[2]", "0", "8"), "unknown variant `F33`"),
        (
            file(&format!("{{{}}}", huge.join(",")), &[]),
            "describes 18446744073709551608 bytes of numbers, but 0 follow",
        ),
        (
            file(
                r#"{"__metadata__":{"named_axes":"x: a, b"},"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}"#,
                &[0],
            ),
            "the tensor `x` with the sizes [1] cannot have the axes [a, b]",
        ),
        (
            file(
                r#"{"__metadata__":{"named_axes":"x: a, a"},"x":{"dtype":"U8","shape":[1,1],"data_offsets":[0,1]}}"#,
                &[0],
            ),
            "the tensor `x` with the sizes [1, 1] cannot have the axes [a, a]",
        ),
        (file(r#"{"__metadata__":{"named_axes":"x"}}"#, &[]), "has a line without axes: `x`"),
    ];
    for (bytes, expected) in cases {
        let error = Tensors::from_bytes(&bytes).expect_err(expected).to_string();
        assert!(error.starts_with("cannot read safetensors: ") && error.contains(expected), "{expected}: {error}");
    }
}

#[test]
fn a_header_larger_than_the_format_allows_is_told_as_such() {
    let word = 100_000_001_u64.to_le_bytes();
    // The file is said to have all its bytes; they are not looked at.
    let error = format::read(&word[..], 200_000_000).expect_err("too large").to_string();
    assert!(error.contains("the header has 100000001 bytes, and the format allows 100000000"), "{error}");
}

#[test]
fn a_file_truncated_anywhere_or_too_long_is_refused() {
    let whole = bits(&model(0));
    for size in 0..whole.len() {
        let error = Tensors::from_bytes(&whole[..size]).expect_err("a part is not a file");
        assert_eq!(error.kind(), ErrorKind::File, "{error}");
    }
    assert!(Tensors::from_bytes(&[&whole[..], &[0]].concat()).is_err());
    assert!(Tensors::from_bytes(&whole).is_ok());
}

#[test]
fn flipped_bytes_give_an_error_or_numbers_but_never_a_panic() {
    let whole = bits(&model(0));
    let numbers = whole.len() - 17 * 4;
    // Knuth's generator of MMIX.
    let mut state = 1_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let (mut refused, mut loaded) = (0, 0);
    for _ in 0..20_000 {
        let mut bytes = whole.clone();
        for _ in 0..=next(3) {
            let at = next(bytes.len());
            bytes[at] = next(256) as u8;
        }
        let mut target = model(1);
        match Tensors::from_bytes(&bytes).and_then(|tensors| target.load_from(&tensors)) {
            Ok(()) => loaded += 1,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::File, "{error}");
                assert_ne!(bytes[..numbers], whole[..numbers], "only a damaged header is noticed");
                refused += 1;
            }
        }
    }
    assert!(refused > 1000 && loaded > 1000, "refused {refused}, loaded {loaded}");
}
