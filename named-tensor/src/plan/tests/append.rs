//! Tensors that grow: their numbers against the plain evaluation, and whose memory they share.

use super::*;

/// A root that has been computed, as a leaf of its own, as `eval` makes it.
fn computed(root: &Node) -> Node {
    let value = evaluate(std::slice::from_ref(root)).unwrap().remove(0);
    Node::input(value, root.shape().clone())
}

fn start(node: &Node) -> *const f64 {
    f64::of(&node.value().unwrap().buffer).as_ptr()
}

fn read(node: &Node) -> Vec<f64> {
    elements(node, node.value().unwrap())
}

#[test]
fn whatever_grows_from_whatever_keeps_the_numbers_of_the_plain_evaluation() {
    let (mut in_place, mut copied) = (0, 0);
    for seed in 0..300 {
        let mut draw = Draw::new(seed);
        let kind = *draw.of(&[Kind::F64, Kind::F64, Kind::F32, Kind::Index, Kind::Bool]);
        let rank = 1 + draw.below(4);
        let mut axes: Vec<(Name, usize)> = NAMES[..rank].iter().map(|&name| (name, 1 + draw.below(3))).collect();
        let axis = axes[draw.below(rank)].0;
        let grown = axes.iter_mut().find(|(name, _)| *name == axis).unwrap();
        grown.1 += draw.below(9);
        let mut all = vec![stored(&mut draw, kind, Shape::new(axes.iter().copied()), 9)];
        let mut expected = vec![read(&all[0])];
        for _ in 0..12 {
            // Mostly from the newest, sometimes from one that has been continued already.
            let which = if draw.below(4) == 0 { draw.below(all.len()) } else { all.len() - 1 };
            let from = all[which].clone();
            // The axes of what is added may come in any order, and one of them may be missing.
            let mut added = axes.clone();
            added.iter_mut().filter(|(name, _)| *name == axis).for_each(|(_, size)| *size = 1 + draw.below(2));
            added.rotate_left(draw.below(rank));
            if draw.below(5) == 0 {
                let missing = draw.below(rank);
                if added[missing].0 != axis {
                    added.remove(missing);
                }
            }
            let root = from.concat(axis, &stored(&mut draw, kind, Shape::new(added), 9));
            expected.push(elements(&root, &graph::evaluate::plainly(std::slice::from_ref(&root)).unwrap()[0]));
            let longer = computed(&root);
            if kind == Kind::F64 {
                *if start(&longer) == start(&from) { &mut in_place } else { &mut copied } += 1;
            }
            all.push(longer);
        }
        for (node, expected) in all.iter().zip(&expected) {
            assert_eq!(&read(node), expected, "graph {seed}: {node:?}");
        }
    }
    assert!(in_place > 500 && copied > 200, "{in_place} in place, {copied} copied");
}

#[test]
fn a_thousand_positions_are_copied_a_dozen_times() {
    let [heads, seq, key] = [NAMES[0], NAMES[1], NAMES[2]];
    let one = stored(&mut Draw::new(1), Kind::F64, Shape::new([(heads, 3), (seq, 1), (key, 2)]), 1);
    let mut text = one.clone();
    let mut memories = 0;
    for _ in 1..1000 {
        let longer = computed(&text.concat(seq, &one));
        memories += usize::from(start(&longer) != start(&text));
        text = longer;
    }
    assert_eq!(text.shape().size(seq), Some(1000));
    assert!(memories <= 12, "{memories} times in new memory, though each doubles its room");
    let one = read(&one);
    for (head, of_head) in read(&text).chunks(2000).enumerate() {
        assert!(of_head.chunks(2).all(|key| *key == one[2 * head..2 * head + 2]), "head {head}");
    }
}

#[test]
fn of_two_continuations_one_shares_the_memory_and_neither_changes_the_other() {
    let axis = NAMES[0];
    let number =
        |x: f64| Node::input(Value::contiguous(Buffer::F64(vec![x].into()), [1].into_iter()), Shape::new([(axis, 1)]));
    let four = computed(&(1..4).fold(number(1.0), |all, _| all.concat(axis, &number(1.0))));
    let stem = computed(&four.concat(axis, &number(2.0)));
    let one = computed(&stem.concat(axis, &number(3.0)));
    let other = computed(&stem.concat(axis, &number(4.0)));
    assert_eq!((read(&stem), read(&one), read(&other)), {
        let with = |more: &[f64]| [&[1.0, 1.0, 1.0, 1.0, 2.0], more].concat();
        (with(&[]), with(&[3.0]), with(&[4.0]))
    });
    assert!(start(&stem) == start(&one) && start(&stem) != start(&other));
    // Under another name, as a lifted function returns it, it is kept too.
    let renamed = computed(&one.concat(axis, &number(5.0)).rename(&[(axis, NAMES[1])]));
    assert_eq!((start(&renamed), read(&renamed)), (start(&stem), vec![1.0, 1.0, 1.0, 1.0, 2.0, 3.0, 5.0]));
}

#[test]
fn only_what_is_kept_and_begins_or_grows_by_little_takes_room_to_grow() {
    let axis = NAMES[0];
    let of = |size: usize| stored(&mut Draw::new(2), Kind::F32, Shape::new([(axis, size)]), 1);
    let appends = |root: Node| {
        let schedule = kept(&[root]);
        schedule.steps.iter().filter(|step| named(&step.action) == "append").count()
    };
    assert_eq!(appends(of(4).concat(axis, &of(1))), 1, "a position behind four");
    assert_eq!(appends(of(4).concat(axis, &of(1)).unary(Unary::Exp)), 0, "not kept");
    assert_eq!(appends(of(7).concat(axis, &of(2))), 0, "no few positions");
    assert_eq!(appends(of(5).concat(axis, &of(5))), 0, "as many as there were");
    assert_eq!(appends(of(4).concat(axis, &of(5))), 0, "more than there was");
    assert_eq!(appends(of(4).unary(Unary::Exp).concat(axis, &of(1))), 0, "not stored");
    assert_eq!(appends(of(0).concat(axis, &of(3))), 1, "a beginning");
    assert_eq!(appends(of(0).concat(axis, &of(0))), 0, "nothing");
    assert_eq!(appends(Node::concat_all(axis, &[&of(8), &of(1), &of(1)]).unwrap()), 0, "a list");
}
