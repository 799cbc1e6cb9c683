//! Light programs in registers against the same programs strip by strip.

use super::super::step::{Op, Step};
use super::rows::{Shape, each_row};
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
    const OPS: [Op; 19] = [
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
        Op::Unless,
        Op::Less,
        Op::NotMore,
        Op::Equal,
        Op::Differs,
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
    fn rows_are_those_of_one_run_each(
        light in programs(4),
        size in 16..300_usize,
        counts in (1..3_usize, 1..4_usize, 1..10_usize),
        ways in prop::collection::vec((any::<bool>(), (-1..3_isize, -1..3_isize, -1..3_isize)), 4),
    ) {
        check_rows::<f32>(&light, size, counts.into(), &ways);
        check_rows::<f64>(&light, size, counts.into(), &ways);
    }
}

/// A source may have one number for each row, and its rows so many of their sizes further along each axis, or back.
fn check_rows<T: Lanes + Debug>(light: &Light, size: usize, counts: Three, ways: &[(bool, (isize, isize, isize))]) {
    let light = Light { others: Vec::new(), deeds: deeds_of(&light.steps, light.first(), &[]), ..light.clone() };
    let mut data = Vec::new();
    for (seed, &(is_one, steps)) in ways.iter().enumerate() {
        let own = if is_one { 1 } else { size };
        let steps: [isize; 3] = <[isize; 3]>::from(steps).map(|step| step * own as isize);
        let last: [isize; 3] = std::array::from_fn(|axis| steps[axis] * (counts[axis] - 1) as isize);
        let [back, on] =
            [last.map(|step| -step.min(0)), last.map(|step| step.max(0))].map(|far| far.iter().sum::<isize>());
        // No more numbers than there must be.
        data.push((numbers::<T>(back as usize + on as usize + own, seed), back as usize, steps, is_one));
    }
    let lines = data.iter().map(|(numbers, first, steps, is_one)| Line {
        numbers,
        first: *first,
        steps: *steps,
        is_one: *is_one,
    });
    let lines: Vec<Line<'_, T>> = lines.collect();
    let mut room = light.room::<T>();
    let room = strips(&mut room);
    let mut out = vec![T::narrow(99.0); size * counts.into_iter().product::<usize>()];
    if vectors::are_none() && size < STRIP {
        return;
    }
    light.rows(counts, size, &lines, room, &mut out);
    let mut rows = out.chunks_exact(size);
    each_row(counts, [1; 3], |row| {
        // A strip or more of the same row: what is one number for all of it is written down for each.
        let often: Vec<Vec<T>> = lines
            .iter()
            .map(|line| {
                let numbers = line.row(row, size);
                (0..size.max(STRIP)).map(|i| numbers.one().unwrap_or_else(|| numbers.all()[i % size])).collect()
            })
            .collect();
        let sources: Vec<Numbers<'_, T>> = often.iter().map(|numbers| Numbers::each(numbers)).collect();
        let mut expected = vec![T::default(); size.max(STRIP)];
        let [values, _] = light.parts(room);
        light.by_strips(&sources, values, &mut expected, &mut []);
        let got = rows.next().expect("a row");
        let differs = got.iter().zip(&expected).position(|(&x, &y)| !same(x, y));
        assert_eq!(differs, None, "row {row:?} of {counts:?}, {size} wide, {lines:?} {light:?}");
    });
}

#[test]
fn rows_at_once_are_as_many_as_registers_hold_along_one_axis_or_two() {
    let at_once = |counts, size| Shape::of(counts, size, 16).at_once;
    assert_eq!(at_once([5, 9, 20], 16), [1, 1, 8], "a register each");
    assert_eq!(at_once([5, 9, 20], 40), [1, 1, 2], "three each, two are left over");
    assert_eq!(at_once([5, 9, 2], 30), [1, 2, 2], "the last axis is short");
    assert_eq!(at_once([5, 1, 3], 16), [1, 1, 3], "and so is the one before");
    assert_eq!(at_once([5, 9, 3], 17), [1, 1, 3], "four, and six would be too many");
    assert_eq!(at_once([5, 9, 20], 70), [1, 1, 1]);
    assert_eq!(at_once([5, 9, 20], 1000), [1, 1, 1]);
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
