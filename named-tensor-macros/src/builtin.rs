//! The functions that the notation itself has: a closed list.
//!
//! Lives here: their names, how many axes and arguments they take, and what each becomes. A name such as `softmax_seq`
//! is one word to Rust, so the list also decides where the name ends and the axis begins.
//! Not here: functions of the block and of the program (`names`), what the calls mean (`lower`).

use Shape::{
    Best, Clamp, Concat, Derivative, Eye, Index, Map, Matrix, Norm, OneHot, Over, Pair, Quotient, Standardize, Stop,
    Window,
};

/// One function of the notation.
#[derive(Debug)]
pub(crate) struct Builtin {
    /// Its name in equations.
    pub(crate) name: &'static str,
    /// Its name in `named_tensor::private`.
    pub(crate) call: &'static str,
    /// What kind of function it is.
    pub(crate) shape: Shape,
}

/// The kinds of functions, by their arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Of each element: `exp(X)`.
    Map,
    /// Of two elements: `max(X, Y)`.
    Pair,
    /// The whole part of a quotient of positions: `div(i, 2)`.
    Quotient,
    /// `clamp(X, low, high)`.
    Clamp,
    /// `d(Y, X)`, the derivative of a tensor by a variable.
    Derivative,
    /// `stop_gradient(X)`.
    Stop,
    /// Along axes: `softmax_seq(X)`.
    Over,
    /// `norm_ax(X)`, `norm_ax(X, p)`.
    Norm,
    /// `standardize_ax(X)`, `standardize_ax(X, ε)`.
    Standardize,
    /// `maxk_ax(X, k)`.
    Best,
    /// `index_vocab(E, I)`.
    Index,
    /// `concat_seq(X, Y)`, or of more.
    Concat,
    /// `one_hot_vocab(I)`, `one_hot_vocab(I, n)`.
    OneHot,
    /// `unroll_{seq, kernel}(X, n)`.
    Window,
    /// `eye_{ax, ax_}(n)`.
    Eye,
    /// `det_{a, b}(S)`.
    Matrix,
}

const fn entry(name: &'static str, call: &'static str, shape: Shape) -> Builtin {
    Builtin { name, call, shape }
}

/// The closed list.
pub(crate) const BUILTINS: &[Builtin] = &[
    entry("exp", "exp", Map),
    entry("log", "log", Map),
    entry("sqrt", "sqrt", Map),
    entry("tanh", "tanh", Map),
    entry("sigmoid", "sigmoid", Map),
    entry("σ", "sigmoid", Map),
    entry("relu", "relu", Map),
    entry("gelu", "gelu", Map),
    entry("gelu_tanh", "gelu_tanh", Map),
    entry("silu", "silu", Map),
    entry("sin", "sin", Map),
    entry("cos", "cos", Map),
    entry("abs", "abs", Map),
    entry("erf", "erf", Map),
    entry("floor", "floor", Map),
    entry("pow", "pow", Pair),
    entry("max", "larger", Pair),
    entry("min", "smaller", Pair),
    entry("div", "quotient", Quotient),
    entry("clamp", "clamp", Clamp),
    entry("d", "jacobian", Derivative),
    entry("stop_gradient", "stop_gradient", Stop),
    entry("sum", "sum", Over),
    entry("Σ", "sum", Over),
    entry("mean", "mean", Over),
    entry("var", "var", Over),
    entry("max", "max", Over),
    entry("min", "min", Over),
    entry("prod", "prod", Over),
    entry("Π", "prod", Over),
    entry("softmax", "softmax", Over),
    entry("log_softmax", "log_softmax", Over),
    entry("argmax", "argmax", Over),
    entry("argmin", "argmin", Over),
    entry("cumsum", "cumsum", Over),
    entry("sort", "sort", Over),
    entry("argsort", "argsort", Over),
    entry("maxk", "maxk", Best),
    entry("argmaxk", "argmaxk", Best),
    entry("norm", "norm", Norm),
    entry("standardize", "standardize", Standardize),
    entry("index", "index", Index),
    entry("concat", "concat", Concat),
    entry("one_hot", "one_hot", OneHot),
    entry("unroll", "unroll", Window),
    entry("pool", "pool", Window),
    entry("eye", "eye", Eye),
    entry("det", "det", Matrix),
    entry("logdet", "logdet", Matrix),
    entry("inv", "inv", Matrix),
];

/// The function of this name that takes axes, or the one that takes none.
pub(crate) fn find(name: &str, with_axes: bool) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|builtin| builtin.name == name && (builtin.shape.axes().1 > 0) == with_axes)
}

/// Splits `log_softmax_seq` into the function and the axis; the longest name of a function wins.
pub(crate) fn split(word: &str) -> Option<(&'static Builtin, &str)> {
    let places = word.char_indices().rev().filter(|(place, char)| *char == '_' && *place > 0);
    places
        .map(|(place, _)| (&word[..place], &word[place + 1..]))
        .filter(|(_, axis)| !axis.is_empty())
        .find_map(|(name, axis)| find(name, true).map(|builtin| (builtin, axis)))
}

impl Builtin {
    /// Whether it goes along one axis at a time; for those of `Over`, types see to it.
    pub(crate) fn takes_one(&self) -> bool {
        let in_order = ["argmax", "argmin", "cumsum", "sort", "argsort"].contains(&self.name);
        in_order || matches!(self.shape, Best | Index | Concat | OneHot)
    }
}

impl Shape {
    /// The least and the largest number of axes.
    pub(crate) fn axes(self) -> (usize, usize) {
        match self {
            Map | Pair | Quotient | Clamp | Derivative | Stop => (0, 0),
            Over | Norm | Standardize => (1, usize::MAX),
            Best | Index | Concat | OneHot => (1, 1),
            Window | Eye | Matrix => (2, 2),
        }
    }

    /// The least and the largest number of arguments.
    pub(crate) fn arguments(self) -> (usize, usize) {
        match self {
            Map | Over | Eye | Matrix | Stop => (1, 1),
            Norm | Standardize | OneHot => (1, 2),
            Pair | Quotient | Derivative | Best | Index | Window => (2, 2),
            Concat => (2, usize::MAX),
            Clamp => (3, 3),
        }
    }

    /// What a call looks like.
    pub(crate) fn pattern(self, name: &str) -> String {
        match self {
            Map | Stop => format!("{name}(X)"),
            Pair => format!("{name}(X, Y)"),
            Derivative => format!("{name}(Y, X)"),
            Quotient => format!("{name}(i, 2)"),
            Clamp => format!("{name}(X, low, high)"),
            Over => format!("{name}_ax(X)"),
            Norm => format!("{name}_ax(X)` or `{name}_ax(X, p)"),
            Standardize => format!("{name}_ax(X)` or `{name}_ax(X, ε)"),
            Best => format!("{name}_ax(X, k)"),
            Index => format!("{name}_ax(E, I)"),
            Concat => format!("{name}_ax(X, Y)"),
            OneHot => format!("{name}_ax(I)` or `{name}_ax(I, n)"),
            Window => format!("{name}_{{ax, kernel}}(X, n)"),
            Eye => format!("{name}_{{ax, ax_}}(n)"),
            Matrix => format!("{name}_{{a, b}}(S)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_function_name_wins_over_a_longer_axis() {
        let found = |word| split(word).map(|(builtin, axis)| (builtin.name, axis));
        assert_eq!(found("log_softmax_seq"), Some(("log_softmax", "seq")));
        assert_eq!(found("one_hot_vocab"), Some(("one_hot", "vocab")));
        assert_eq!(found("sum_seq_"), Some(("sum", "seq_")));
        assert_eq!(found("Σ_seq"), Some(("Σ", "seq")));
        assert_eq!(found("sum_head_key"), Some(("sum", "head_key")));
    }

    #[test]
    fn functions_without_axes_take_none() {
        assert!(split("gelu_tanh").is_none() && split("log_seq").is_none() && split("sum_").is_none());
        assert_eq!(find("max", false).map(|builtin| builtin.call), Some("larger"));
        assert_eq!(find("max", true).map(|builtin| builtin.call), Some("max"));
    }

    #[test]
    fn no_name_is_in_the_list_twice_for_the_same_use() {
        for (place, one) in BUILTINS.iter().enumerate() {
            let twin = BUILTINS[place + 1..].iter().find(|other| other.name == one.name);
            assert!(twin.is_none_or(|other| (other.shape.axes().1 > 0) != (one.shape.axes().1 > 0)), "{}", one.name);
        }
    }
}
