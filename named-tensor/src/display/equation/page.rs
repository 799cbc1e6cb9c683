//! A page of equations: what is written where, and under which name.
//!
//! What is used more than once gets an equation of its own, and so does what would be too long to read in place. What
//! is made of positions alone is an equation by positions, `M_{seq(i: 4), seq_(j: 4)} = ..`.
//! Lives here: names of tensors, lines, the text of each form. Not here: what a primitive is (`form`).

use std::collections::{HashMap, HashSet};

use super::axes::AxisTexts;
use super::form::{Entry, Form};
use super::items::{Class, Item, Items};
use super::text::{Bound, Level, Subscript, Text, number};
use crate::axis::Name;
use crate::element::Kind;
use crate::graph::shape::Names;

/// A longer text gets an equation of its own.
const LONG: usize = 100;

/// The equations of an item, the last one its value.
pub(super) fn lines(items: &Items, root: usize) -> Vec<String> {
    let mut page = Page::new(items, root);
    for at in 0..items.len() {
        if page.uses[at] > 0 {
            page.write(at);
        }
    }
    let value = page.operand(root, false, usize::MAX);
    page.lines.push(value.text);
    page.lines
}

struct Page<'a> {
    items: &'a Items,
    axes: AxisTexts,
    /// How often each item is written; not at all if a composition takes its place.
    uses: Vec<u32>,
    /// Which items are computed positions, to be used as such.
    places: Vec<bool>,
    texts: Vec<Option<Text>>,
    lines: Vec<String>,
    taken: HashSet<String>,
    /// How many names of each letter there are.
    counts: HashMap<&'static str, usize>,
    /// How many given tensors have no name.
    unnamed: usize,
    /// The letter for positions along each axis.
    letters: HashMap<String, String>,
}

impl<'a> Page<'a> {
    fn new(items: &'a Items, root: usize) -> Page<'a> {
        let mut uses = vec![0; items.len()];
        uses[root] = 1;
        for at in (0..items.len()).rev().filter(|&at| at <= root) {
            if uses[at] > 0 {
                items.get(at).operands.iter().for_each(|&operand| uses[operand] += 1);
            }
        }
        let written = || (0..items.len()).filter(|&at| uses[at] > 0).map(|at| items.get(at));
        let axes = AxisTexts::new(written().flat_map(|item| scopes(items, item)));
        let unnamed = written().filter(|item| matches!(item.form, Form::Leaf) && item.label.is_none()).count();
        let mut taken: HashSet<String> = axes.all().map(str::to_owned).collect();
        taken.extend(written().filter_map(|item| item.label.clone()));
        let texts = vec![None; items.len()];
        let places = places(items, &uses);
        let (lines, counts, letters) = (Vec::new(), HashMap::new(), HashMap::new());
        Page { items, axes, uses, places, texts, lines, taken, counts, unnamed, letters }
    }

    /// Finds the text of an item, and an equation for it if it needs one.
    fn write(&mut self, at: usize) {
        let item = self.items.get(at);
        let text = self.text(at);
        let given = matches!(item.form, Form::Leaf | Form::Number(_));
        let labelled = item.label.is_some() && !given;
        let shared = self.uses[at] > 1 && !text.cheap;
        let repeated = matches!(item.form, Form::Repeated(_));
        self.texts[at] = Some(text);
        if labelled || shared || repeated {
            self.define(at);
        }
    }

    /// The text of a written item. It gets an equation first, if it speaks of positions where it must not, or is longer
    /// than fits in its place.
    fn operand(&mut self, at: usize, by_positions: bool, room: usize) -> Text {
        let fits = |text: &Text| (by_positions || text.bound.is_empty()) && text.text.chars().count() <= room;
        if self.texts[at].as_ref().is_some_and(|text| !fits(text)) {
            self.define(at);
        }
        self.texts[at].clone().unwrap_or_else(|| Text::name("?"))
    }

    /// Gives an item an equation, and its name for a text.
    fn define(&mut self, at: usize) {
        let Some(text) = self.texts[at].take() else { return };
        let item = self.items.get(at);
        let letter = match item.class {
            Class::Exact => "I",
            _ if !text.bound.is_empty() || item.class == Class::Truth => "M",
            _ => "Y",
        };
        let name = item.label.clone().unwrap_or_else(|| self.fresh(letter));
        let axes = self.axes.listed(item.node.shape().names());
        let head = match item.class {
            _ if !text.bound.is_empty() => {
                let positions = text.bound.iter().map(|&(axis, size)| {
                    format!("{}({}: {size})", self.axes.written(axis), self.letters[self.axes.text(axis)])
                });
                format!("{name}_{{{}}}", positions.collect::<Vec<_>>().join(", "))
            }
            Class::Real => format!("{name}: R[{axes}]"),
            Class::Truth => format!("{name}: B[{axes}]"),
            Class::Number | Class::Exact => name.clone(),
        };
        self.lines.push(format!("{head} = {};", text.text));
        self.texts[at] = Some(Text::name(&name));
    }

    /// A name that nobody has: `Y1`, `Y2`, ...
    fn fresh(&mut self, letter: &'static str) -> String {
        loop {
            let count = self.counts.entry(letter).or_default();
            *count += 1;
            let name = format!("{letter}{count}");
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }

    /// The name of a given tensor: `X` if it is the only one without a name.
    fn given(&mut self, item: &Item) -> String {
        match &item.label {
            Some(label) => label.clone(),
            None if self.unnamed == 1 && self.taken.insert("X".to_owned()) => "X".to_owned(),
            None => self.fresh("X"),
        }
    }

    /// The letter for positions along an axis: i, j, k, ...
    fn letter(&mut self, axis: Name) -> String {
        let text = self.axes.text(axis).to_owned();
        if let Some(letter) = self.letters.get(&text) {
            return letter.clone();
        }
        let plain = ["i", "j", "k", "l", "m", "n"].into_iter().find(|letter| !self.taken.contains(*letter));
        let letter = plain.map_or_else(|| self.fresh("i"), str::to_owned);
        self.taken.insert(letter.clone());
        self.letters.insert(text, letter.clone());
        letter
    }

    /// The text of an item in terms of its operands.
    fn text(&mut self, at: usize) -> Text {
        let item = self.items.get(at);
        let (shape, kind) = (item.node.shape(), item.node.kind());
        match &item.form {
            Form::Leaf => return Text::name(&self.given(item)),
            &Form::Number(value) => return number(value, kind),
            &Form::Repeated(value) => {
                shape.names().for_each(|axis| drop(self.letter(axis)));
                return Text { bound: shape.iter().collect(), ..number(value, kind) };
            }
            Form::Position => {
                let letters: String = shape.names().map(|axis| self.letter(axis)).collect();
                return Text { bound: shape.iter().collect(), free: true, ..Text::name(&letters) };
            }
            _ => {}
        }
        // Positions may be spoken of where each axis of the result is one of theirs, and nothing else has axes.
        let mut bound = Bound::new();
        let mut free = true;
        for &operand in &item.operands {
            let text = self.texts[operand].as_ref();
            free &= text.is_some_and(|text| text.free);
            for &place in text.iter().flat_map(|text| &text.bound) {
                if !bound.contains(&place) {
                    bound.push(place);
                }
            }
        }
        let exactly = bound.len() == shape.rank() && bound.iter().all(|&(axis, size)| shape.size(axis) == Some(size));
        let by_positions = free && exactly && !self.places[at];
        // A renaming that is not to be seen takes no room.
        let unseen = matches!(&item.form, Form::Subscript(entry) if self.entry(entry).text.is_empty());
        let room = if unseen { usize::MAX } else { LONG };
        let x: Vec<Text> = item.operands.iter().map(|&operand| self.operand(operand, by_positions, room)).collect();
        let mut text = self.formed(item, &x);
        if by_positions {
            // In the order of the axes, whatever the order in which they are spoken of.
            text.bound = shape.iter().collect();
            text.free = !item.operands.is_empty();
        }
        text
    }

    /// The text of a form with these operands.
    fn formed(&self, item: &Item, x: &[Text]) -> Text {
        let kind = item.node.kind();
        match (&item.form, x) {
            (Form::Prefix(sign), [x]) => {
                let text = Text::new(format!("{sign}{}", x.at(Level::Power)), Level::Signed);
                Text { cheap: x.cheap, ..text }
            }
            (&Form::Infix(sign, level), [x, y]) => {
                let left = if level == Level::Compared { level.tighter() } else { level };
                Text::new(format!("{} {sign} {}", x.at(left), y.at(level.tighter())), level)
            }
            (Form::Power, [x, y]) => {
                Text::new(format!("{}^{}", x.at(Level::Postfix), y.at(Level::Signed)), Level::Power)
            }
            (Form::Dot(axes), [x, y]) => {
                let (left, right) = (x.at(Level::Product), y.at(Level::Signed));
                Text::new(format!("{left} dot{} {right}", self.axes.attached(axes)), Level::Product)
            }
            (Form::Call(name, axes, numbers), x) => {
                // Sizes are whole, and exact in `f64`.
                let kind = |value: f64| if value.fract() == 0.0 { Kind::F64 } else { kind };
                let numbers = numbers.iter().map(|&value| number(value, kind(value)).text);
                let given: Vec<String> = x.iter().map(|x| x.text.clone()).chain(numbers).collect();
                let text = format!("{name}{}({})", self.axes.attached(axes), given.join(", "));
                Text { cheap: x.is_empty(), ..Text::new(text, Level::Atom) }
            }
            (Form::Cases, [condition, yes, no]) => {
                let otherwise = if no.level == Level::Cases { no.text.clone() } else { format!("{{ {} }}", no.text) };
                let text = format!("if {} {{ {} }} else {otherwise}", condition.text, yes.text);
                Text::new(text, Level::Cases)
            }
            (Form::Indicator, [condition]) => {
                Text::new(format!("if {} {{ 1 }} else {{ 0 }}", condition.text), Level::Cases)
            }
            (Form::Subscript(entry), [x]) => {
                let entry = self.entry(entry);
                if entry.text.is_empty() { x.clone() } else { x.with_entry(entry) }
            }
            // Every form has as many operands as its primitive has inputs.
            _ => Text::name("?"),
        }
    }

    /// An entry of a subscript.
    fn entry(&self, entry: &Entry) -> Subscript {
        let axis = |name: Name| self.axes.written(name);
        let (text, names): (String, Names) = match entry {
            Entry::Rename(pairs) => {
                // A renaming that reads like none says nothing.
                let told = || pairs.iter().filter(|&&(old, new)| self.axes.text(old) != self.axes.text(new));
                let pairs: Vec<String> = told().map(|&(old, new)| format!("{} -> {}", axis(old), axis(new))).collect();
                (pairs.join(", "), told().flat_map(|&(old, new)| [old, new]).collect())
            }
            Entry::Flatten(from, into) => {
                let text = format!("({}) -> {}", self.axes.listed(from.iter().copied()), axis(*into));
                (text, from.iter().chain([into]).copied().collect())
            }
            Entry::Split(from, parts) => {
                let sizes: Vec<String> = parts.iter().map(|&(part, size)| format!("{}: {size}", axis(part))).collect();
                let text = format!("{} -> ({})", axis(*from), sizes.join(", "));
                (text, parts.iter().map(|&(part, _)| part).chain([*from]).collect())
            }
            Entry::At(name, position) => (format!("{}({position})", axis(*name)), [*name].into_iter().collect()),
            Entry::Range(name, start, end) => {
                (format!("{}({start}..{end})", axis(*name)), [*name].into_iter().collect())
            }
        };
        let axes = names.into_iter().map(|name| self.axes.text(name).to_owned()).collect();
        Subscript { text, axes, renames: matches!(entry, Entry::Rename(_)) }
    }
}

/// Which items are positions that others are read at. An equation by positions makes real numbers of what is computed
/// from positions, so these stay outside of one.
fn places(items: &Items, uses: &[u32]) -> Vec<bool> {
    let mut places = vec![false; items.len()];
    for at in (0..items.len()).rev().filter(|&at| uses[at] > 0) {
        let item = items.get(at);
        let read = match (&item.form, item.operands.as_slice()) {
            (Form::Call("index", ..), [_, position]) | (Form::Call("one_hot", ..), [position]) => {
                std::slice::from_ref(position)
            }
            (_, operands) if places[at] => operands,
            _ => &[],
        };
        for &operand in read {
            let computed = items.get(operand).is_exact() && !matches!(items.get(operand).form, Form::Position);
            places[operand] |= computed;
        }
    }
    places
}

/// The axes that meet where an item is written. A renaming stands between two scopes.
fn scopes(items: &Items, item: &Item) -> Vec<Names> {
    let operands = item.operands.iter().map(|&operand| items.get(operand).node.shape());
    let own: Names = item.node.shape().names().collect();
    if matches!(item.form, Form::Subscript(Entry::Rename(_))) {
        return operands.map(|shape| shape.names().collect()).chain([own]).collect();
    }
    let mut scope = own;
    for name in operands.flat_map(|shape| shape.names().collect::<Names>()) {
        if !scope.contains(&name) {
            scope.push(name);
        }
    }
    vec![scope]
}
