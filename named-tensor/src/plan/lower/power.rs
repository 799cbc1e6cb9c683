//! Powers with a known exponent as products and roots.
//!
//! `x^3` is `x · x · x`, which takes a thirtieth of the time of a logarithm and an exponential, and `x^-0.5` is `1 / √x`. For the
//! exponents here, whole numbers and halves up to 16, that is within as many roundings as the power has factors;
//! of -∞ there is no root.
//! Not here: powers with other exponents (`kernel::math`), the square, which those who run a program know.

use super::once::Instructions;
use crate::element::{Binary, Kind, Unary};
use crate::kernel::map::Instruction;

/// Exponents up to here that are constants of the structure (`words::is_structural`) come here.
const LARGEST: f64 = 16.0;

/// The last instruction of `x^y`, after those that it needs.
pub(super) fn power(instructions: &mut Instructions, kind: Kind, x: usize, y: usize) -> Instruction {
    let exponent = match instructions[y] {
        Instruction::Constant(_, exponent) if kind.is_real() && exponent != 2.0 => exponent,
        _ => return Instruction::Binary(Binary::Pow, x, y),
    };
    let whole = exponent.abs().floor();
    let has_root = exponent.abs() - whole == 0.5;
    if exponent.abs() > LARGEST || whole != exponent.abs() && !has_root || matches!(exponent, 0.0 | 1.0) {
        return Instruction::Binary(Binary::Pow, x, y);
    }
    let mut put = |instruction| {
        instructions.push(instruction);
        instructions.len() - 1
    };
    let times = |x, y| Instruction::Binary(Binary::Mul, x, y);
    let mut product = has_root.then(|| put(Instruction::Unary(Unary::Sqrt, x)));
    let (mut left, mut power) = (whole as usize, x);
    while left > 0 {
        if left % 2 == 1 {
            product = Some(product.map_or(power, |product| put(times(product, power))));
        }
        left /= 2;
        if left > 0 {
            power = put(times(power, power));
        }
    }
    let mut product = product.unwrap_or(x);
    if has_root {
        // The root of -0 is -0, and so is its product with -0; the power is 0.
        product = put(Instruction::Unary(Unary::Abs, product));
    }
    if exponent > 0.0 {
        // It is the last one: every exponent here but 1 has one at least.
        return instructions.pop().unwrap_or(Instruction::Binary(Binary::Pow, x, y));
    }
    let one = put(Instruction::Constant(kind, 1.0));
    Instruction::Binary(Binary::Div, one, product)
}
