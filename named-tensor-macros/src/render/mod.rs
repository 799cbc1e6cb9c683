//! Functions as mathematics, from the same tree that is run: MathML for rustdoc, LaTeX for papers, Unicode for
//! terminals, and an einsum string where one exists.
//!
//! `expression`, `call` and `equations` turn the syntax tree into the boxes of `layout`; `mathml`, `latex` and
//! `unicode` print those. Nothing here can fail: what could not be read is left out.
//! Not here: where the texts go (`emit`).

mod call;
mod einsum;
mod equations;
mod expression;
mod identifier;
mod latex;
mod layout;
mod mathml;
mod unicode;

#[cfg(test)]
mod tests;

use crate::ast::Function;
use crate::names::Vocabulary;
use expression::Typesetter;
use layout::{Line, Lines};
use syn::Attribute;

/// A function in every form.
pub(crate) struct Forms {
    /// Type, equations, parameters and conditions as one `<math>` element.
    pub(crate) mathml: String,
    /// The same as an `align*` with the commands of `namedtensor.sty`.
    pub(crate) latex: String,
    /// The same as lines of text.
    pub(crate) unicode: String,
    /// The einsum string, where the function is a sum of products.
    pub(crate) einsum: Option<String>,
    /// The mathematics as a part of the function's documentation, in Markdown.
    pub(crate) documentation: String,
}

impl Forms {
    /// All forms of a function.
    pub(crate) fn of(vocabulary: &Vocabulary<'_>, function: &Function) -> Forms {
        let display = Typesetter::new(vocabulary, function, false);
        let linear = Typesetter::new(vocabulary, function, true);
        let equations = display.equations();
        let further = further(&display);
        let documentation = documentation(&display, &Lines::new(equations.clone()));
        let all = Lines::new(equations.into_iter().chain(further).collect());
        Forms {
            mathml: mathml::print(&all),
            latex: latex::print(&all),
            unicode: unicode::print(&linear.equations(), &self::further(&linear)),
            einsum: einsum::of(vocabulary, function),
            documentation,
        }
    }
}

/// What parameters are, and the conditions on sizes.
fn further(typesetter: &Typesetter<'_>) -> Vec<Line> {
    let Function { parameters, conditions, .. } = typesetter.function;
    let parameters = parameters.iter().map(|parameter| typesetter.parameter(parameter));
    parameters.chain(conditions.iter().map(|condition| typesetter.condition(condition))).collect()
}

/// The equations as a block of HTML, then a list: arguments of which something is said, parameters, conditions.
fn documentation(typesetter: &Typesetter<'_>, equations: &Lines) -> String {
    let mut text = format!(
        "<div style=\"overflow:auto hidden;margin:0.5em 0;padding:0.25em 0\">{}</div>\n",
        mathml::print(equations)
    );
    let Function { arguments, parameters, conditions, .. } = typesetter.function;
    let arguments = arguments.iter().map(|one| (typesetter.argument(one), said(&one.attributes)));
    let arguments = arguments.filter(|(_, said)| !said.is_empty());
    let parameters = parameters.iter().map(|one| (typesetter.parameter(one), said(&one.attributes)));
    let conditions = conditions.iter().map(|one| (typesetter.condition(one), String::new()));
    let items = arguments.chain(parameters).chain(conditions);
    let items: String = items.map(|(line, said)| format!("- {}{said}\n", mathml::within_text(&line))).collect();
    if !items.is_empty() {
        text.push_str(&format!("\nwhere\n\n{items}"));
    }
    text
}

/// What the documentation of a variable says, as the rest of its item in a list.
fn said(attributes: &[Attribute]) -> String {
    let lines = equations::comments(attributes);
    if lines.is_empty() { String::new() } else { format!(": {}", lines.join("\n  ").trim_end()) }
}
