//! What a tensor owes for its standardization, and how that changes.
//!
//! With  `y = standardize X`,  `d = √(var X + ε)`  and means over the axes of the standardization, X owes
//! `R(g) = (g - mean g - y * mean(y * g)) / d`  where y is owed g. R is linear and its own transpose, so y also changes by
//! R(dX); both are one primitive of the graph. Lives here: R in other primitives, and its differentials by X.
//! Not here: the primitive (`op::vector`), its loop (`kernel::standardize`).

use super::forms::{dot, minus, negative, number, over, plus, times, times_of, total};
use crate::axis::Name;
use crate::element::Unary;
use crate::graph::{Node, Shape};

/// `R(g)`, and what it is made of.
pub(crate) struct Standardized<'a> {
    x: &'a Node,
    g: &'a Node,
    axes: &'a [Name],
    epsilon: f64,
    y: Node,
    deviation: Node,
}

impl<'a> Standardized<'a> {
    pub(crate) fn new(x: &'a Node, g: &'a Node, axes: &'a [Name], epsilon: f64) -> Standardized<'a> {
        let is_of_nothing = times_of(axes, x.shape()) == 0.0;
        // There is no variance of nothing, and nothing to be divided by it.
        let variance = if is_of_nothing { number(x, 1.0) } else { x.variance(axes) };
        let deviation = plus(&variance, &number(x, epsilon)).unary(Unary::Sqrt);
        Standardized { x, g, axes, epsilon, y: x.standardize(axes, epsilon), deviation }
    }

    /// `R(g)`, in primitives that the language of equations has words for.
    pub(crate) fn spelt(&self) -> Node {
        let along = times(&self.y, &self.mean_of_product(&self.y, self.g));
        over(&minus(&minus(self.g, &self.mean(self.g)), &along), &self.deviation)
    }

    /// `R(c)`: how R(g) changes where g changes by `c`, and what g owes where R(g) is owed `c`.
    pub(super) fn through(&self, c: &Node) -> Node {
        self.x.standardize_gradient(c, self.axes, self.epsilon)
    }

    /// How R(g) changes where X changes by `dx`, with  `dy = R(dx)`  and  `dd = mean(y * dx)`:
    /// `-(R(g) mean(y * dx) + dy * mean(y * g) + y * mean(dy * g)) / d`.
    pub(super) fn change_by_input(&self, dx: &Node) -> Node {
        let dy = self.through(dx);
        let by_deviation = times(&self.through(self.g), &self.mean_of_product(&self.y, dx));
        let by_y = plus(
            &times(&dy, &self.mean_of_product(&self.y, self.g)),
            &times(&self.y, &self.mean_of_product(&dy, self.g)),
        );
        negative(&over(&plus(&by_deviation, &by_y), &self.deviation))
    }

    /// What X owes where R(g) is owed `c`. The sum of both products is  `n k / d`  with
    /// `k = mean(c * g) - mean c * mean g - mean(y * c) * mean(y * g)`;  so X owes
    /// `-R((c * mean(y * g) + g * mean(y * c)) / d) - y * k / d²`.
    pub(super) fn owed_by_input(&self, c: &Node) -> Node {
        let (by_g, by_c) = (self.mean_of_product(&self.y, self.g), self.mean_of_product(&self.y, c));
        let of_y = over(&plus(&times(c, &by_g), &times(self.g, &by_c)), &self.deviation);
        let of_means = plus(&times(&self.mean(c), &self.mean(self.g)), &times(&by_c, &by_g));
        let k = minus(&self.mean_of_product(c, self.g), &of_means);
        let of_deviation = over(&over(&times(&self.y, &k), &self.deviation), &self.deviation);
        negative(&plus(&self.through(&of_y), &of_deviation))
    }

    fn mean(&self, z: &Node) -> Node {
        self.divided(&total(z, self.axes, self.shape()))
    }

    fn mean_of_product(&self, z: &Node, w: &Node) -> Node {
        self.divided(&dot(z, w, self.axes, self.shape()))
    }

    fn divided(&self, sum: &Node) -> Node {
        over(sum, &number(self.x, times_of(self.axes, self.shape())))
    }

    fn shape(&self) -> &'a Shape {
        self.x.shape()
    }
}
