//! Parentheses: none is missing, none is too many; and the forms of single expressions.

use super::expression::Typesetter;
use super::{Forms, unicode};
use crate::ast::{Block, Entry, Expression, Unary};
use crate::names::Vocabulary;
use crate::report::Report;
use crate::set::axis_name;
use crate::tests::tokens;

const HEAD: &str = "axis heads, key, seq, seq_; fn f(A: R[heads, key, seq], B: R[heads, key, seq]; g: G) -> R[key] {";

/// The block with one function that has this body.
fn block(body: &str) -> Block {
    let mut report = Report::default();
    let block = crate::parse::block(tokens(&format!("{HEAD} {body} }}")), &mut report);
    assert!(report.is_empty(), "{body}: {}", report.into_tokens());
    block
}

fn forms(body: &str) -> Forms {
    let block = block(body);
    Forms::of(&Vocabulary::of(&block), &block.functions[0])
}

/// An expression in one line, and in LaTeX.
fn shown(expression: &str) -> (String, String) {
    let block = block(expression);
    let (vocabulary, function) = (Vocabulary::of(&block), &block.functions[0]);
    let result = &function.body.as_ref().expect("the function has a body").result;
    let line = unicode::inline(&Typesetter::new(&vocabulary, function, true).piece(result).layout);
    (line, super::latex::inline(&Typesetter::new(&vocabulary, function, false).piece(result).layout))
}

#[test]
fn parentheses_stand_where_mathematics_needs_them_and_nowhere_else() {
    for (source, line, latex) in [
        ("A - (B - A)", "A − (B − A)", r"A - (B - A)"),
        ("(A - B) - A", "A − B − A", r"A - B - A"),
        ("A + (B + A)", "A + (B + A)", r"A + (B + A)"),
        ("(A + B) * A", "(A + B) ⊙ A", r"(A + B) \odot A"),
        ("A * B + A", "A ⊙ B + A", r"A \odot B + A"),
        // Contraction is not associative.
        ("A dot_key (B dot_seq A)", "A ⊙_key (B ⊙_seq A)", r"A \ndot{\name{key}} (B \ndot{\name{seq}} A)"),
        ("(A dot_key B) dot_seq A", "A ⊙_key B ⊙_seq A", r"A \ndot{\name{key}} B \ndot{\name{seq}} A"),
        ("A * (B dot_seq A)", "A ⊙ (B ⊙_seq A)", r"A \odot (B \ndot{\name{seq}} A)"),
        // A fraction holds its parts together; in one line it is a quotient.
        ("(A + B) / (A - B)", "(A + B) / (A − B)", r"\frac{A + B}{A - B}"),
        ("A / B * A", "A / B ⊙ A", r"\frac{A}{B} \odot A"),
        ("A * (B / A)", "A ⊙ (B / A)", r"A \odot \frac{B}{A}"),
        ("A * B / A", "A ⊙ B / A", r"\frac{A \odot B}{A}"),
        ("A / (B / A)", "A / (B / A)", r"\frac{A}{\frac{B}{A}}"),
        ("A dot_key B / sqrt(|key|)", "A ⊙_key B / √|key|", r"\frac{A \ndot{\name{key}} B}{\sqrt{|\name{key}|}}"),
        ("sqrt(A + B)", "√(A + B)", r"\sqrt{A + B}"),
        // Signs.
        ("-A ^ 2", "−A²", r"- A^{2}"),
        ("(-A) ^ 2", "(−A)²", r"(- A)^{2}"),
        ("A - -B", "A − (−B)", r"A - (- B)"),
        ("A + -B * A", "A + (−B ⊙ A)", r"A + (- B \odot A)"),
        ("-A + B", "−A + B", r"- A + B"),
        ("-(A + B)", "−(A + B)", r"- (A + B)"),
        // Powers.
        ("A ^ (B + 1)", "A^{B+1}", r"A^{B + 1}"),
        ("A ^ 2 ^ B", "A^{2^B}", r"A^{2^{B}}"),
        ("(A ^ 2) ^ B", "(A²)^B", r"(A^{2})^{B}"),
        ("(A / B) ^ 2", "(A / B)²", r"\left( \frac{A}{B} \right)^{2}"),
        ("10000 ^ (2 / |key|)", "10000^{2/|key|}", r"10000^{2 / |\name{key}|}"),
        ("pow(A + B, 2)", "(A + B)²", r"(A + B)^{2}"),
        ("C_ ^ 2", "C′²", r"{C^{\prime}}^{2}"),
        // A sum reaches over the product behind it, and no further.
        ("sum_key(A * B)", "Σ_key A ⊙ B", r"\nsum{\name{key}} A \odot B"),
        ("sum_key(A) * B", "(Σ_key A) ⊙ B", r"\left( \nsum{\name{key}} A \right) \odot B"),
        ("sum_key(A) + B", "Σ_key A + B", r"\nsum{\name{key}} A + B"),
        ("sum_key(A + B)", "Σ_key (A + B)", r"\nsum{\name{key}} (A + B)"),
        ("sum_{heads, key}(-A)", "Σ_{heads, key} (−A)", r"\nsum{\name{heads} \\ \name{key}} (- A)"),
        // Truth values.
        ("!(A < B) && (A == B || A > B)", "¬(A < B) ∧ (A = B ∨ A > B)", r"\neg (A < B) \land (A = B \lor A > B)"),
        ("(A < B) == (A > B)", "(A < B) = (A > B)", r"(A < B) = (A > B)"),
        ("A * (B % 2)", "A ⊙ (B mod 2)", r"A \odot (B \bmod 2)"),
        ("A % 2 + 1", "(A mod 2) + 1", r"(A \bmod 2) + 1"),
        // Functions, subscripts.
        ("exp(A)_{seq -> seq_}", "exp(A)_{seq→seq′}", r"{\operatorname{exp}(A)}_{\name{seq} \rightarrow \name{seq'}}"),
        ("(A + B)_{seq(0)}", "(A + B)_{seq(0)}", r"(A + B)_{\name{seq}(0)}"),
        ("A_{seq(1..|seq| - 1)}", "A_{seq(1..|seq|−1)}", r"A_{\name{seq}(1 \mathbin{..} |\name{seq}| - 1)}"),
        ("2 * A * |key|", "2 · A · |key|", r"2 \cdot A \cdot |\name{key}|"),
        ("A + 1e-5", "A + 10^{−5}", r"A + 10^{- 5}"),
        ("A + 2.5e-9", "A + 2.5 · 10^{−9}", r"A + 2.5 \cdot 10^{- 9}"),
    ] {
        let (found_line, found_latex) = shown(source);
        assert_eq!((found_line.as_str(), found_latex.as_str()), (line, latex), "{source}");
    }
}

/// The source of an expression with every pair of parentheses: two are equal where the trees are.
fn tree(expression: &Expression) -> String {
    match expression {
        Expression::Name(path) => axis_name(path),
        Expression::Number(number) => number.value.to_string(),
        Expression::Size(axis) => format!("|{}|", axis_name(axis)),
        Expression::Unary { operator: Unary::Negative, operand, .. } => format!("(-{})", tree(operand)),
        Expression::Unary { operator: Unary::Not, operand, .. } => format!("(!{})", tree(operand)),
        Expression::Binary { operator, left, right, .. } => {
            format!("({} {} {})", tree(left), operator.sign(), tree(right))
        }
        Expression::Dot { axes, left, right, .. } => {
            let axes: Vec<String> = axes.iter().map(axis_name).collect();
            format!("({} dot_{{{}}} {})", tree(left), axes.join(", "), tree(right))
        }
        Expression::Call(call) if call.function.is_ident("sqrt") => format!("(!(!{}))", tree(&call.arguments[0])),
        Expression::Call(call) => {
            let arguments: Vec<String> = call.arguments.iter().map(tree).collect();
            format!("{}({})", axis_name(&call.function), arguments.join(", "))
        }
        Expression::Subscript { base, entries } => match entries.as_slice() {
            [Entry::Rename { from, to }] => {
                format!("({})_{{{} -> {}}}", tree(base), axis_name(from), axis_name(to))
            }
            _ => unreachable!("no other subscript is generated"),
        },
        Expression::Cases { condition, then, otherwise, .. } => {
            format!("if {} {{ {} }} else {{ {} }}", tree(condition), tree(then), tree(otherwise))
        }
    }
}

/// What the one-line form means, in the words of the source.
fn read_again(line: &str) -> String {
    let mut line = line.to_owned();
    for (sign, word) in [
        ("⊙_key", "dot_key"),
        ("⊙", "*"),
        ("·", "*"),
        ("−", "-"),
        ("∧", "&&"),
        ("∨", "||"),
        ("¬", "!"),
        (" = ", " == "),
        ("≤", "<="),
        ("seq→seq′", "seq -> seq_"),
        ("mod", "%"),
    ] {
        line = line.replace(sign, word);
    }
    let mut text = String::new();
    let mut braces = Vec::new();
    let mut before = ' ';
    for char in line.chars() {
        match char {
            '²' => text.push_str(" ^ 2"),
            // A root stands on what follows it, as a sign would.
            '√' => text.push_str("!!"),
            '{' => {
                braces.push(before == '^');
                text.push(if before == '^' { '(' } else { '{' });
            }
            '}' => text.push(if braces.pop() == Some(true) { ')' } else { '}' }),
            other => text.push(other),
        }
        before = char;
    }
    text
}

#[test]
fn the_one_line_form_of_every_small_expression_is_read_as_the_same_expression() {
    // Everything that can be made of two variables in up to three steps, thinned out by a stride in the last.
    let grow = |smaller: &[String], stride: usize| -> Vec<String> {
        let mut grown = Vec::new();
        for (place, one) in smaller.iter().enumerate() {
            grown.extend([format!("-({one})"), format!("sqrt({one})"), format!("exp({one})"), format!("({one}) ^ 2")]);
            grown.push(format!("({one})_{{seq -> seq_}}"));
            for other in smaller.iter().skip(place % stride).step_by(stride) {
                for sign in ["+", "-", "*", "/", "dot_key", "^", "%"] {
                    grown.push(format!("({one}) {sign} ({other})"));
                }
            }
        }
        grown
    };
    let atoms = ["A".to_owned(), "B".to_owned(), "2".to_owned()];
    let two: Vec<String> = atoms[..2].iter().cloned().chain(grow(&atoms, 1)).collect();
    let three = grow(&two, 11);
    let logic = grow_logic(&two[..12]);
    let mut count = 0;
    for source in two.iter().chain(&three).chain(&logic) {
        let (line, _) = shown(source);
        let (before, after) = (block(source), block(&read_again(&line)));
        let tree = |block: &Block| tree(&block.functions[0].body.as_ref().expect("a body").result);
        assert_eq!(tree(&before), tree(&after), "{source} is shown as {line}");
        count += 1;
    }
    assert!(count > 2000, "only {count} expressions");
}

fn grow_logic(values: &[String]) -> Vec<String> {
    let compared: Vec<String> =
        values.iter().flat_map(|one| ["<", "=="].map(|sign| format!("({one}) {sign} (B + {one})"))).collect();
    let mut grown = compared.clone();
    for one in &compared {
        grown.push(format!("!({one})"));
        for other in &compared {
            grown.extend(["&&", "||"].map(|sign| format!("({one}) {sign} (({other}) || !({one}))")));
            grown.push(format!("(({one}) && ({other})) == ({other})"));
        }
    }
    grown
}

#[test]
fn a_sum_of_products_is_an_einsum_string_and_nothing_else_is() {
    let einsum = |signature: &str, body: &str| {
        let mut report = Report::default();
        let text = format!("axis key, seq, seq_, a, b, c; fn f({signature} {{ {body} }}");
        let block = crate::parse::block(tokens(&text), &mut report);
        assert!(report.is_empty(), "{text}");
        super::einsum::of(&Vocabulary::of(&block), &block.functions[0])
    };
    for (signature, body, expected) in [
        ("Q: R[seq_, key], K: R[seq, key]) -> R[seq, seq_]", "Q dot_key K", Some("sk,ek->es")),
        ("X: R[seq, key]; W: R[key, a]) -> R[seq, a]", "X dot_key W", Some("sk,ka->sa")),
        ("A: R[a, b], B: R[b, c], C: R[c]) -> R[a]", "A dot_b (B dot_c C)", Some("ab,bc,c->a")),
        // The axis that is contracted first is not the axis of the same name outside.
        ("A: R[a, b], B: R[b], C: R[a, b]) -> R[a, b]", "(A dot_b B) * C", Some("ab,b,ac->ac")),
        ("A: R[a], B: R[b]) -> R[a, b]", "A * B", Some("a,b->ab")),
        ("A: R[a, b]) -> R[a]", "sum_b(A)", Some("ab->a")),
        ("A: R[a, b]) -> R[b, a]", "A_{a -> b, b -> a}", Some("ab->ab")),
        ("X: R[seq, key], Y: R[seq, key]) -> R[seq, seq_]", "Z = X_{seq -> seq_}; Z dot_key Y", Some("sk,ek->es")),
        ("X: R[key]) -> R[]", "X dot_key X", None),
        ("X: R[key], Y: R[key]) -> R[key]", "X + Y", None),
        ("X: R[key], Y: R[key]) -> R[key]", "2 * X * Y", None),
        ("X: R[key], I: a[key], Y: R[key]) -> R[key]", "X * Y", None),
        ("X: R[key]; g: G) -> R[key]", "g(X)", None),
    ] {
        assert_eq!(einsum(signature, body).as_deref(), expected, "f({signature} {{ {body} }}");
    }
}

#[test]
fn long_lines_are_broken_before_their_sign_and_short_ones_aligned() {
    let short = forms("A dot_{heads, key, seq} B");
    assert!(short.latex.contains(" &\\colon ") && short.latex.contains(" &= "), "{}", short.latex);
    let sum = ["A dot_key B"; 12].join(" + ");
    let long = forms(&sum);
    assert!(long.latex.contains("\\\\\n  &\\quad = "), "{}", long.latex);
    assert!(long.unicode.contains("\n    = A ⊙_key B + "), "{}", long.unicode);
}

#[test]
fn the_mathematics_stands_behind_the_first_paragraph_and_never_inside_code() {
    let expanded = |documentation: &str| {
        let text = format!("{documentation} fn f(A: R[key]) -> R[key] {{ A }}");
        crate::named::functions(tokens(&text), &mut Report::default()).to_string()
    };
    let order = |text: &str, words: &[&str]| {
        let places: Vec<usize> = words.iter().map(|word| text.find(word).expect("every word occurs")).collect();
        assert!(places.is_sorted(), "{words:?} stand at {places:?} in {text}");
    };
    order(&expanded("/// First.\n///\n/// Second.\n"), &["First", "<math", "Second", "```text"]);
    order(&expanded("/// First\n/// paragraph.\n"), &["First", "paragraph", "<math", "```text"]);
    order(&expanded("/// ```text\n/// one\n///\n/// two\n/// ```\n///\n/// Second.\n"), &["two", "<math", "Second"]);
    order(&expanded("#[doc = include_str!(\"page.md\")]"), &["page.md", "<math"]);
    order(&expanded(""), &["`f` of the notation", "<math"]);
}
