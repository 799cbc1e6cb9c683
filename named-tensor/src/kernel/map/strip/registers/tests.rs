//! Light programs in registers against the same programs strip by strip.

use super::super::step::{Op, Step};
use super::*;
use crate::kernel::map::strip::deeds::deeds_of;
use crate::kernel::map::strip::strips;
use proptest::prelude::*;
use std::fmt::Debug;

const OFTEN: usize = Numbers::<u8>::OFTEN;

/// A program of these sources and steps, with a constant.
fn program(sources: usize, steps: Vec<Step>, others: Vec<usize>) -> Light {
    let constants = vec![0.75];
    let deeds = deeds_of(&steps, sources + constants.len(), &others);
    Light { sources, constants, steps, others, deeds }
}

/// Some program of so many sources: what each step reads comes before it.
fn programs(sources: usize) -> impl Strategy<Value = Light> {
    const OPS: [Op; 14] = [
        Op::Copy,
        Op::Neg,
        Op::Abs,
        Op::Sqrt,
        Op::Relu,
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::Div,
        Op::Max,
        Op::Min,
        Op::WherePositive,
        Op::MulAdd,
        Op::AddAdd,
    ];
    let step = (prop::sample::select(&OPS[..]), any::<[prop::sample::Index; 3]>());
    let steps = prop::collection::vec(step, 1..9);
    (steps, prop::collection::vec(any::<prop::sample::Index>(), 0..3)).prop_map(move |(steps, others)| {
        let first = sources + 1;
        let numbered = (first..).zip(&steps);
        let built =
            numbered.map(|(known, (op, values))| Step { op: *op, values: values.map(|value| value.index(known)) });
        // The last one is the result, and no other one.
        let others =
            others.iter().filter(|_| steps.len() > 1).map(|other| first + other.index(steps.len() - 1)).collect();
        program(sources, built.collect(), others)
    })
}

/// Numbers of both signs, some of which are none, and zeros.
fn numbers<T: Lanes>(size: usize, seed: usize) -> Vec<T> {
    let number = |i: usize| match (i * 7 + seed * 5) % 61 {
        0 => f64::NAN,
        1 => 0.0,
        2 => -0.0,
        3 => f64::INFINITY,
        n => (n as f64 - 30.0) / 8.0,
    };
    (0..size).map(|i| T::narrow(number(i))).collect()
}

/// How many numbers of a source there are, and how they follow each other: one for each, for all, a row again and again, two.
fn follow<T: Lanes>(data: &[T], way: usize, size: usize) -> Numbers<'_, T> {
    match way {
        0 => Numbers::each(&data[..size]),
        1 => Numbers::same(&data[7..=7]),
        2 => Numbers::rows(data, 77, 50),
        3 => Numbers::rows(data, 301, 0),
        _ => Numbers::two(data, size / 2),
    }
}

/// Numbers for [`follow`].
fn source<T: Lanes>(way: usize, size: usize, seed: usize) -> Vec<T> {
    match way {
        0 => numbers(size, seed),
        1 => numbers(8, seed),
        2 | 3 => {
            let period = if way == 2 { 77 } else { 301 };
            numbers::<T>(period, seed).into_iter().cycle().take(period + OFTEN).collect()
        }
        _ => numbers::<T>(2, seed + 40).iter().flat_map(|&number| std::iter::repeat_n(number, OFTEN)).collect(),
    }
}

/// The same number, if any; zeros by their signs.
fn same<T: Lanes>(x: T, y: T) -> bool {
    let (x, y) = (x.wide(), y.wide());
    x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan()
}

fn check<T: Lanes + Debug>(light: &Light, ways: &[usize], size: usize, before: usize, stream: &Stream) {
    let data: Vec<Vec<T>> = ways.iter().enumerate().map(|(seed, &way)| source(way, size, seed)).collect();
    let sources: Vec<Numbers<'_, T>> = data.iter().zip(ways).map(|(data, &way)| follow(data, way, size)).collect();
    let mut room = light.room::<T>();
    let room = strips(&mut room);
    // Results begin somewhere in lines of memory, each elsewhere, and nothing beside them is written.
    let marked = || vec![T::narrow(99.0); size + 2 * before + 3];
    let (mut out, mut others) = (marked(), vec![marked(); light.others.len()]);
    let mut given: Vec<&mut [T]> = (0..).zip(&mut others).map(|(i, other)| &mut other[before + i..][..size]).collect();
    if !light.in_registers(&sources, room, stream, &mut out[before..][..size], &mut given) {
        return;
    }
    // A source that is the same for all is written down for strips.
    let often: Vec<Vec<T>> = sources.iter().map(|source| source.one().map_or(vec![], |one| vec![one; OFTEN])).collect();
    let plain =
        sources.iter().zip(&often).map(|(source, often)| if often.is_empty() { *source } else { Numbers::same(often) });
    let plain: Vec<Numbers<'_, T>> = plain.collect();
    let [values, _] = light.parts(room);
    let (mut expected, mut beside) = (vec![T::default(); size], vec![vec![T::default(); size]; light.others.len()]);
    let mut places: Vec<&mut [T]> = beside.iter_mut().map(|beside| &mut beside[..]).collect();
    light.by_strips(&plain, values, &mut expected, &mut places);
    for (i, (got, expected)) in [(0, (&out, &expected))].into_iter().chain((0..).zip(others.iter().zip(&beside))) {
        let (start, rest) = got.split_at(before + i);
        let (got, end) = rest.split_at(size);
        let differs = got.iter().zip(expected).position(|(&x, &y)| !same(x, y));
        assert_eq!(differs.map(|at| (at, got[at], expected[at])), None, "result {i} of {light:?}, {ways:?}, {size}");
        assert!(start.iter().chain(end).all(|&x| same(x, T::narrow(99.0))), "beside result {i} of {light:?}");
    }
}

proptest! {
    #[test]
    fn a_program_gives_the_same_bits_in_registers_as_strip_by_strip(
        light in programs(3),
        ways in prop::collection::vec(0..5_usize, 3),
        size in STRIP..900,
        before in 0..17_usize,
        is_sent in any::<bool>(),
    ) {
        let stream = if is_sent { Stream::of::<f32>(usize::MAX) } else { Stream::usual() };
        check::<f32>(&light, &ways, size, before, &stream);
        check::<f64>(&light, &ways, size, before, &stream);
    }

    #[test]
    fn rows_are_those_of_one_run_each(light in programs(4), size in STRIP..400, rows in 1..6_usize, ones in any::<[bool; 4]>()) {
        let light = Light { others: Vec::new(), deeds: deeds_of(&light.steps, light.first(), &[]), ..light };
        let data: Vec<Vec<f32>> = (0..4).map(|seed| numbers(rows * size, seed)).collect();
        let sources = |row: usize| -> [Numbers<'_, f32>; 4] {
            std::array::from_fn(|i| match ones[i] {
                true => Numbers::same(&data[i][row * size..=row * size]),
                false => Numbers::each(&data[i][row * size..][..size]),
            })
        };
        let mut room = light.room::<f32>();
        let room = strips(&mut room);
        let (mut out, mut alone) = (vec![0.0; rows * size], vec![0.0; rows * size]);
        let mut row = 0;
        light.rows(size, &mut || { row += 1; sources(row - 1) }, room, &mut out);
        for (row, alone) in alone.chunks_exact_mut(size).enumerate() {
            // What is one number for all of a row is written down for each.
            let often: Vec<Vec<f32>> = (0..4).map(|i| vec![data[i][row * size]; OFTEN.max(size)]).collect();
            let plain: Vec<Numbers<'_, f32>> =
                (0..4).map(|i| if ones[i] { Numbers::each(&often[i][..size]) } else { sources(row)[i] }).collect();
            let [values, _] = light.parts(room);
            light.by_strips(&plain, values, alone, &mut []);
        }
        let differs = out.iter().zip(&alone).position(|(&x, &y)| !same(x, y));
        prop_assert_eq!(differs, None, "{:?} in rows of {}", light, size);
    }
}

#[test]
fn results_are_of_one_size() {
    let light = program(1, vec![Step { op: Op::Neg, values: [0; 3] }, Step { op: Op::Abs, values: [2; 3] }], vec![2]);
    let run = |size: usize| {
        let (data, mut room) = (vec![1.0_f32; 200], light.room::<f32>());
        let (mut out, mut other) = (vec![0.0; 200], vec![0.0; size]);
        let others = &mut [&mut other[..]];
        light.in_registers(&[Numbers::each(&data)], strips(&mut room), &Stream::usual(), &mut out, others)
    };
    // Without registers of several numbers nothing is run.
    if run(200) {
        let panic = std::panic::catch_unwind(|| run(199)).expect_err("a result is too short");
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"map: results of one size"));
    }
}
