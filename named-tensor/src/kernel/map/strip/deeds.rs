//! Light programs as deeds: what is done, one after the other, to a number that stays in a register.
//!
//! A deed takes the number that the one before it has left, and one other at most, from memory. What a step computes is
//! kept there only where a later step asks for it and the register has held something else since.
//! Not here: how they are done (`registers`).

use super::step::{Op, Step};

/// What is done to the number at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Another one is taken instead.
    Begin,
    /// It is kept for a later deed.
    Keep,
    /// It is a result; the same by a store that passes the caches by.
    Give,
    Send,
    Neg,
    Abs,
    Sqrt,
    Relu,
    Plus,
    Minus,
    /// It is subtracted from the other one.
    From,
    Times,
    Over,
    /// The other one is divided by it.
    Under,
    Larger,
    Smaller,
    /// The same with another one that is not NaN.
    AtLeast,
    AtMost,
    WherePositive,
    Unless,
    /// 1 where it is less than the other one, 0 elsewhere; and the like.
    Less,
    More,
    NotMore,
    NotLess,
    Equal,
    Differs,
}

/// What is done, and the number of the other value, or of the result. Deeds that need no other have 0 there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Deed {
    pub(super) what: What,
    pub(super) with: usize,
}

/// The deeds of these steps, whose values are numbered from `first` on. The last one's value is result 0; those of `others` are
/// the next ones.
pub(super) fn deeds_of(steps: &[Step], first: usize, others: &[usize]) -> Vec<Deed> {
    let mut deeds = Vec::new();
    let mut add = |what, with| deeds.push(Deed { what, with });
    let mut held = None;
    for (value, &Step { op, values: [x, y, z] }) in (first..).zip(steps) {
        match (of_two(op), of_one(op)) {
            (Some([_, Some(turned)]), _) if held == Some(y) && x != y => add(turned, x),
            (two, one) => {
                if held != Some(x) {
                    add(What::Begin, x);
                }
                match two {
                    Some([Some(what), _]) => add(what, y),
                    _ => one.into_iter().for_each(|what| add(what, 0)),
                }
            }
        }
        if matches!(op, Op::MulAdd | Op::AddAdd) {
            add(What::Plus, z);
        }
        add(What::Keep, value);
        let results = (1..).zip(others).filter(|&(_, &other)| other == value);
        results.for_each(|(result, _)| add(What::Give, result));
        held = Some(value);
    }
    add(What::Give, 0);
    let is_read_behind = |at: usize, value| deeds[at..].iter().any(|deed| deed.what.reads() && deed.with == value);
    let needed = |&(at, deed): &(usize, &Deed)| deed.what != What::Keep || is_read_behind(at, deed.with);
    deeds.iter().enumerate().filter(needed).map(|(_, &deed)| deed).collect()
}

impl What {
    /// Whether another value is read for it.
    pub(super) fn reads(self) -> bool {
        !matches!(self, What::Keep | What::Give | What::Send | What::Neg | What::Abs | What::Sqrt | What::Relu)
    }

    /// The same where the other value is this one for all.
    pub(super) fn beside(self, one: f64) -> What {
        match self {
            What::Larger if !one.is_nan() => What::AtLeast,
            What::Smaller if !one.is_nan() => What::AtMost,
            _ => self,
        }
    }
}

/// What an operation on two numbers does to the first one, and what to the second one if there is such a deed.
fn of_two(op: Op) -> Option<[Option<What>; 2]> {
    Some(match op {
        Op::Add | Op::AddAdd => [Some(What::Plus); 2],
        Op::Mul | Op::MulAdd => [Some(What::Times); 2],
        Op::Sub => [Some(What::Minus), Some(What::From)],
        Op::Div => [Some(What::Over), Some(What::Under)],
        Op::Max => [Some(What::Larger), None],
        Op::Min => [Some(What::Smaller), None],
        Op::WherePositive => [Some(What::WherePositive), None],
        Op::Unless => [Some(What::Unless), None],
        Op::Less => [Some(What::Less), Some(What::More)],
        Op::NotMore => [Some(What::NotMore), Some(What::NotLess)],
        Op::Equal => [Some(What::Equal); 2],
        Op::Differs => [Some(What::Differs); 2],
        Op::Copy | Op::Neg | Op::Abs | Op::Sqrt | Op::Relu => return None,
    })
}

/// What an operation on one number does to it: nothing if it is a copy.
fn of_one(op: Op) -> Option<What> {
    match op {
        Op::Neg => Some(What::Neg),
        Op::Abs => Some(What::Abs),
        Op::Sqrt => Some(What::Sqrt),
        Op::Relu => Some(What::Relu),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The deeds of steps over three values, in words, without their numbers where they have none.
    fn words(steps: &[(Op, [usize; 3])], others: &[usize]) -> String {
        let steps: Vec<Step> = steps.iter().map(|&(op, values)| Step { op, values }).collect();
        let word = |deed: Deed| match deed.what {
            What::Neg | What::Abs | What::Sqrt | What::Relu => format!("{:?}", deed.what),
            what => format!("{what:?} {}", deed.with),
        };
        deeds_of(&steps, 3, others).into_iter().map(word).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn what_a_step_computes_stays_in_the_register_for_the_next_one() {
        assert_eq!(words(&[(Op::Add, [0, 1, 1]), (Op::Relu, [3; 3])], &[]), "Begin 0, Plus 1, Relu, Give 0");
        assert_eq!(words(&[(Op::MulAdd, [0, 1, 2])], &[]), "Begin 0, Times 1, Plus 2, Give 0");
        assert_eq!(words(&[(Op::Neg, [0; 3]), (Op::AddAdd, [1, 3, 2])], &[]), "Begin 0, Neg, Plus 1, Plus 2, Give 0");
        assert_eq!(words(&[(Op::Copy, [2; 3])], &[]), "Begin 2, Give 0");
        assert_eq!(words(&[(Op::Sqrt, [0; 3]), (Op::Copy, [3; 3])], &[]), "Begin 0, Sqrt, Give 0");
    }

    #[test]
    fn it_may_be_the_second_number_of_a_difference_or_a_quotient() {
        assert_eq!(words(&[(Op::Abs, [0; 3]), (Op::Sub, [1, 3, 3])], &[]), "Begin 0, Abs, From 1, Give 0");
        assert_eq!(words(&[(Op::Abs, [0; 3]), (Op::Div, [1, 3, 3])], &[]), "Begin 0, Abs, Under 1, Give 0");
        let larger = [(Op::Abs, [0; 3]), (Op::Max, [1, 3, 3])];
        assert_eq!(words(&larger, &[]), "Begin 0, Abs, Keep 3, Begin 1, Larger 3, Give 0", "zeros have signs");
    }

    #[test]
    fn what_is_asked_for_later_is_kept_and_nothing_else() {
        let square = [(Op::Sub, [0, 1, 1]), (Op::Mul, [3; 3])];
        assert_eq!(words(&square, &[]), "Begin 0, Minus 1, Keep 3, Times 3, Give 0");
        let two = [(Op::Sub, [0, 1, 1]), (Op::Neg, [2; 3]), (Op::WherePositive, [3, 4, 4])];
        assert_eq!(
            words(&two, &[]),
            "Begin 0, Minus 1, Keep 3, Begin 2, Neg, Keep 4, Begin 3, WherePositive 4, Give 0"
        );
        let own = [(Op::Mul, [0; 3]), (Op::Min, [3, 2, 2])];
        assert_eq!(words(&own, &[]), "Begin 0, Times 0, Smaller 2, Give 0", "a source is in memory anyway");
    }

    #[test]
    fn a_comparison_with_what_is_at_hand_is_turned() {
        let turned = [(Op::Abs, [0; 3]), (Op::Less, [1, 3, 3]), (Op::NotMore, [2, 4, 4]), (Op::Equal, [0, 5, 5])];
        assert_eq!(words(&turned, &[]), "Begin 0, Abs, More 1, NotLess 2, Equal 0, Give 0");
        let straight = [(Op::Less, [0, 1, 1]), (Op::Unless, [2, 3, 3])];
        assert_eq!(words(&straight, &[]), "Begin 0, Less 1, Keep 3, Begin 2, Unless 3, Give 0");
    }

    #[test]
    fn each_result_is_given_where_it_is_computed() {
        let steps = [(Op::Add, [0, 1, 1]), (Op::Neg, [3; 3]), (Op::Mul, [3, 4, 4])];
        assert_eq!(
            words(&steps, &[4, 3]),
            "Begin 0, Plus 1, Keep 3, Give 2, Neg, Give 1, Times 3, Give 0",
            "the second other one comes first"
        );
    }

    #[test]
    fn a_bound_that_is_a_number_need_not_be_asked_whether_it_is_one() {
        assert_eq!([What::Larger.beside(1.0), What::Smaller.beside(-0.0)], [What::AtLeast, What::AtMost]);
        assert_eq!([What::Larger.beside(f64::NAN), What::Smaller.beside(f64::NAN)], [What::Larger, What::Smaller]);
        assert_eq!(What::Plus.beside(1.0), What::Plus, "other deeds ask for nothing");
    }
}
