//! Printing: tensors as the paper writes them, with names at the sides.
//!
//! `Display` computes and prints numbers; a large tensor is shortened. `Debug` prints one line and computes nothing.
//! Axes come in the order of the type; the last two are the rows and columns of a matrix.
//! Lives here: what is printed where. Not here: the digits of one number (`number`), reading (`tensor::reading`), graphs as
//! text (`equation`).

mod equation;
mod number;
#[cfg(test)]
mod tests;

use std::fmt;

use smallvec::SmallVec;

pub use self::equation::{Equations, differential};
use crate::axes::Axes;
use crate::axis::Name;
use crate::element::{Element, Kind, Stored};
use crate::error::{Error, ErrorKind, Result};
use crate::graph::{Node, Value};
use crate::tensor::{Tensor, computed_at};

/// The most positions of an axis that are printed without a gap.
const UNBROKEN: usize = 8;
/// How many positions stand before and after a gap.
const ENDS: usize = 3;
/// The most matrices that are printed without a gap.
const UNBROKEN_MATRICES: usize = 4;

/// Prints the numbers, each with at most six significant digits, or as many decimals as `{:.3}` asks for.
///
/// ```
/// # use named_tensor::prelude::*;
/// # axes! { height, width }
/// let a = Tensor::new((height, width), [[3.0, 1.0, 4.0], [1.0, 5.0, 9.0], [2.0, 6.0, 5.0]]);
/// assert_eq!(a.sum(height).to_string(), "width[6 12 18]");
/// let printed = "
///          width
///        ⎡3  1  4⎤
/// height ⎢1  5  9⎥
///        ⎣2  6  5⎦";
/// assert_eq!(format!("\n{a}"), printed);
/// ```
///
/// A tensor that carries an error, or whose computation fails, prints `error: ` and the message.
impl<A: Axes, T: Element> fmt::Display for Tensor<A, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match computed(self) {
            Ok((node, value)) => {
                let numbers = T::Stored::of(&value.buffer);
                let axes = A::names().iter().filter_map(|&name| Axis::of(&node, &value, name)).collect();
                Grid { numbers, axes, decimals: f.precision() }.print(f, value.offset)
            }
            Err(error) => write!(f, "error: {error}"),
        }
    }
}

/// Prints one line, such as `Tensor[height: 3, width: 3] f32 (lazy)`.
impl<A: Axes, T: Element> fmt::Debug for Tensor<A, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (names, shape) = (A::names(), self.node().shape());
        let extra = shape.names().filter(|name| !names.contains(name));
        f.write_str("Tensor[")?;
        for (i, name) in names.iter().copied().chain(extra).enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{name}")?;
            if let Some(size) = shape.size(name) {
                write!(f, ": {size}")?;
            }
        }
        f.write_str(match T::Stored::KIND {
            Kind::F32 => "] f32",
            Kind::F64 => "] f64",
            Kind::Index => "] index",
            Kind::Bool => "] bool",
            Kind::Bf16 => "] bf16",
        })?;
        match (self.node().error(), self.node().value()) {
            (Some(error), _) => write!(f, " (error: {error})"),
            (None, Some(_)) => f.write_str(" (computed)"),
            (None, None) if self.node().widens().is_some() => f.write_str(" (stored in bf16)"),
            (None, None) => f.write_str(" (lazy)"),
        }
    }
}

/// The numbers of a tensor, where they lie: printing copies only what it shows.
fn computed<A: Axes, T: Element>(tensor: &Tensor<A, T>) -> Result<(Node, Value)> {
    let (names, node) = (A::names(), tensor.node().checked()?);
    if node.shape().rank() != names.len() || names.iter().any(|&name| !node.shape().has(name)) {
        let message =
            format!("a tensor cannot be printed inside a lifted function: here its shape is {}", node.shape());
        return Err(Error::new(ErrorKind::Lifted, message).at(node.place()));
    }
    Ok((node.clone(), computed_at(node, node.place())?))
}

/// An axis as it lies in memory.
#[derive(Clone, Copy)]
struct Axis {
    name: Name,
    size: usize,
    stride: isize,
}

impl Axis {
    fn of(node: &Node, value: &Value, name: Name) -> Option<Axis> {
        let at = node.shape().position(name)?;
        Some(Axis { name, size: node.shape().size(name)?, stride: *value.strides.get(at)? })
    }

    /// The element `position` steps after the one at `offset`.
    fn step(self, offset: usize, position: usize) -> usize {
        offset.wrapping_add_signed(self.stride.wrapping_mul(position as isize))
    }

    /// The positions that are printed, with `None` for a gap.
    fn shown(self) -> Vec<Option<usize>> {
        shortened(self.size, UNBROKEN, ENDS, ENDS)
    }
}

/// The positions below `size`, or only the first and last of them around a gap.
fn shortened(size: usize, unbroken: usize, first: usize, last: usize) -> Vec<Option<usize>> {
    if size <= unbroken {
        return (0..size).map(Some).collect();
    }
    (0..first).map(Some).chain([None]).chain((size - last..size).map(Some)).collect()
}

/// What is printed.
struct Grid<'a, S> {
    numbers: &'a [S],
    axes: SmallVec<[Axis; 6]>,
    decimals: Option<usize>,
}

impl<S: Stored> Grid<'_, S> {
    fn print(&self, f: &mut fmt::Formatter<'_>, offset: usize) -> fmt::Result {
        match *self.axes {
            [] => f.write_str(&self.number(offset)),
            [axis] => self.vector(f, axis, offset),
            _ if self.axes.iter().any(|axis| axis.size == 0) => {
                let sizes: Vec<String> = self.axes.iter().map(|axis| format!("{}: {}", axis.name, axis.size)).collect();
                write!(f, "empty [{}]", sizes.join(", "))
            }
            [rows, columns] => self.matrix(f, rows, columns, offset),
            [ref leading @ .., rows, columns] => self.matrices(f, leading, rows, columns, offset),
        }
    }

    fn number(&self, offset: usize) -> String {
        number::text(self.numbers[offset], self.decimals)
    }

    /// `width[15 43 76]`
    fn vector(&self, f: &mut fmt::Formatter<'_>, axis: Axis, offset: usize) -> fmt::Result {
        let cell = |at: Option<usize>| at.map_or_else(|| "…".to_owned(), |at| self.number(axis.step(offset, at)));
        let cells: Vec<String> = axis.shown().into_iter().map(cell).collect();
        write!(f, "{}[{}]", axis.name, cells.join(" "))
    }

    /// The name of the columns above, the name of the rows at the left, the numbers aligned at their points.
    fn matrix(&self, f: &mut fmt::Formatter<'_>, rows: Axis, columns: Axis, offset: usize) -> fmt::Result {
        let lines = rows.shown();
        let mut table = vec![String::new(); lines.len()];
        for (i, column) in columns.shown().into_iter().enumerate() {
            let cells = lines.iter().map(|&row| match (row, column) {
                (Some(row), Some(column)) => self.number(columns.step(rows.step(offset, row), column)),
                (Some(_), None) => "…".to_owned(),
                (None, Some(_)) => "⋮".to_owned(),
                (None, None) => "⋱".to_owned(),
            });
            for (line, cell) in table.iter_mut().zip(number::aligned(cells.collect())) {
                line.push_str(if i == 0 { "" } else { "  " });
                line.push_str(&cell);
            }
        }
        let name = rows.name.to_string();
        let indent = name.chars().count() + 1;
        let width = table.first().map_or(0, |line| line.chars().count());
        let title = columns.name.to_string();
        let centre = width.saturating_sub(title.chars().count()) / 2;
        write!(f, "{:1$}{title}", "", indent + 1 + centre)?;
        for (i, line) in table.iter().enumerate() {
            let (left, right) = brackets(i, table.len());
            let name = if i == (table.len() - 1) / 2 { &*name } else { "" };
            write!(f, "\n{name:<indent$}{left}{line}{right}")?;
        }
        Ok(())
    }

    /// A matrix for each position of the leading axes, headed by it: `batch(0), heads(1)`.
    fn matrices(
        &self,
        f: &mut fmt::Formatter<'_>,
        leading: &[Axis],
        rows: Axis,
        columns: Axis,
        offset: usize,
    ) -> fmt::Result {
        let count = leading.iter().map(|axis| axis.size).product();
        for (i, matrix) in shortened(count, UNBROKEN_MATRICES, 2, 1).into_iter().enumerate() {
            f.write_str(if i == 0 { "" } else { "\n\n" })?;
            let Some(mut rest) = matrix else {
                f.write_str("…")?;
                continue;
            };
            // The last of the leading axes is the fastest.
            let (mut start, mut head) = (offset, Vec::new());
            for axis in leading.iter().rev() {
                let position = rest % axis.size;
                rest /= axis.size;
                start = axis.step(start, position);
                head.push(format!("{}({position})", axis.name));
            }
            head.reverse();
            writeln!(f, "{}", head.join(", "))?;
            self.matrix(f, rows, columns, start)?;
        }
        Ok(())
    }
}

/// The pieces of the brackets beside line `i` of `count`.
fn brackets(i: usize, count: usize) -> (char, char) {
    match (i == 0, i + 1 == count) {
        (true, true) => ('[', ']'),
        (true, false) => ('⎡', '⎤'),
        (false, true) => ('⎣', '⎦'),
        (false, false) => ('⎢', '⎥'),
    }
}
