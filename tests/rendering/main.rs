//! Equations as mathematics: every function of the transformer crate, and a block that uses the whole grammar, in every
//! form, as files that are read by people.
//!
//! `UPDATE_EXPECT=1 cargo test -p named-tensor-tests --test rendering` writes the files anew; read the difference.
//! Lives here: the forms of whole functions, and that they are well-formed. Not here: parentheses (unit tests of the
//! macros).

#![allow(mixed_script_confusables, reason = "the equations keep the letters of the paper")]

mod grammar;

use pulldown_latex::{Parser, Storage};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// A function and its forms.
struct Rendered {
    name: &'static str,
    unicode: &'static str,
    einsum: Option<&'static str>,
    latex: &'static str,
    mathml: &'static str,
}

macro_rules! rendered {
    ($($function:path),* $(,)?) => {
        vec![$(Rendered {
            name: stringify!($function).rsplit("::").next().expect("a path has a last word").trim(),
            unicode: <$function>::UNICODE,
            einsum: <$function>::EINSUM,
            latex: <$function>::LATEX,
            mathml: <$function>::MATHML,
        }),*]
    };
}

fn transformer() -> Vec<Rendered> {
    use transformer::generate::{beam, sample};
    use transformer::models::{bert, gpt2, language_model, llama, practical, seq2seq, translation};
    use transformer::{
        alignment, attention, block, dropout, embedding, feed_forward, layer, loss, mask, norm, optimizer, position,
        recurrent,
    };
    rendered![
        norm::BatchNorm,
        norm::InstanceNorm,
        norm::LayerNorm2d,
        norm::LayerNorm,
        attention::Attention,
        attention::MaskedAttention,
        attention::SelfAttention,
        attention::MultiHeadAttention,
        attention::MaskedMultiHeadAttention,
        attention::MultiHead,
        attention::GroupedQuery,
        attention::MultiQuery,
        feed_forward::Linear,
        feed_forward::FFN,
        embedding::Embedding,
        embedding::ScaledEmbedding,
        embedding::OneHotEmbedding,
        embedding::Shifted,
        embedding::ReadOut,
        embedding::TiedReadOut,
        mask::CausalMask,
        mask::ContextMask,
        mask::OpenMask,
        mask::WindowMask,
        mask::PrefixMask,
        mask::PlacedMask,
        mask::LengthMask,
        mask::PaddingMask,
        position::Sinusoids,
        position::PositionalEncoding,
        position::LearnedPosition,
        position::Turned,
        position::Angles,
        position::Rotary,
        position::InterleavedRotary,
        position::Slopes,
        position::LinearBias,
        block::Block,
        block::MultiHeadBlock,
        block::MaskedMultiHeadBlock,
        layer::Layer,
        layer::DecoderLayer,
        language_model::LanguageModel,
        translation::Reader,
        translation::Writer,
        translation::Translation,
        loss::CrossEntropy,
        loss::SmoothedCrossEntropy,
        dropout::Dropout,
        optimizer::Descent,
        optimizer::Momentum,
        optimizer::RunningMean,
        optimizer::AdamDirection,
        optimizer::Clipped,
        alignment::DotProduct,
        alignment::ScaledDotProduct,
        alignment::Bilinear,
        alignment::Additive,
        alignment::Retrieved,
        alignment::Found,
        recurrent::Elman,
        recurrent::GRU,
        practical::BareAttention,
        practical::BareWeights,
        practical::IdentityGPT,
        practical::HistogramGPT,
        practical::MicroGPT,
        practical::CountLoss,
        practical::IsRight,
        seq2seq::Word,
        seq2seq::Alignment,
        seq2seq::Context,
        seq2seq::Heard,
        seq2seq::Said,
        seq2seq::Forced,
        seq2seq::WordLoss,
        sample::Tempered,
        sample::Ranked,
        sample::TopK,
        sample::TopP,
        sample::Passed,
        beam::Continued,
        bert::Norm,
        bert::Words,
        bert::GeluFFN,
        bert::BertLayer,
        bert::Meaning,
        bert::Similarity,
        gpt2::Embedded,
        gpt2::Keys,
        gpt2::Values,
        gpt2::Attend,
        gpt2::MLP,
        gpt2::Scores,
        llama::RMSNorm,
        llama::RotaryKeys,
        llama::PlainValues,
        llama::GroupedAttend,
        llama::SwiGLU,
        llama::RMSScores,
    ]
}

fn grammar() -> Vec<Rendered> {
    rendered![
        grammar::Arithmetic,
        grammar::Functions,
        grammar::Reductions,
        grammar::Along,
        grammar::Largest,
        grammar::Lookup,
        grammar::Derivatives,
        grammar::Windows,
        grammar::Subscripts,
        grammar::Positions,
        grammar::Truth,
        grammar::centered,
        grammar::Calls,
        grammar::Parameters,
        grammar::Nested,
        grammar::Optional,
        grammar::Centred,
        grammar::Contraction,
        grammar::Ascribed,
        grammar::Identity,
    ]
}

/// The file of a group of functions is what their forms are.
fn check(folder: &str, functions: &[Rendered]) {
    for Rendered { name, unicode, einsum, latex, mathml } in functions {
        let mut text = format!("{unicode}\n\neinsum: {}\n\n{latex}\n\n", einsum.unwrap_or("none"));
        // One row of the table on each line.
        let _ = writeln!(text, "{}", mathml.replace("<mtr>", "\n<mtr>"));
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("rendering").join(folder).join(format!("{name}.txt"));
        expect_test::expect_file![path].assert_eq(&text);
    }
}

#[test]
fn every_function_of_the_transformer_is_rendered_as_its_file_says() {
    check("transformer", &transformer());
}

#[test]
fn the_whole_grammar_is_rendered_as_its_files_say() {
    check("grammar", &grammar());
}

/// All source files of a folder, and of the folders in it.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of sources can be read").flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
}

#[test]
fn no_function_is_left_out() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let written = |path: &Path| -> BTreeSet<String> {
        let text = fs::read_to_string(path).expect("a source file can be read");
        // Only what stands in a block of equations.
        let mut inside = false;
        let equations = text.lines().filter(|line| {
            inside = if inside { *line != "}" } else { *line == "named! {" };
            inside
        });
        let heads = equations.filter_map(|line| line.trim_start().strip_prefix("pub fn "));
        let name = |head: &str| head.chars().take_while(|c| c.is_alphanumeric()).collect();
        heads.map(name).collect()
    };
    let rendered = |functions: Vec<Rendered>| functions.iter().map(|one| one.name.to_owned()).collect();
    let all: BTreeSet<String> =
        sources(&root.join("../transformer/src")).iter().flat_map(|file| written(file)).collect();
    let found: BTreeSet<String> = rendered(transformer());
    assert_eq!(found, all);
    let found: BTreeSet<String> = rendered(grammar());
    assert_eq!(found, written(&root.join("rendering/grammar.rs")));
}

#[test]
fn mathml_is_well_formed_and_made_of_the_elements_of_mathml_core() {
    let core = [
        "math", "mrow", "mi", "mo", "mn", "mtext", "mspace", "mpadded", "mfrac", "msqrt", "msub", "msup", "msubsup",
        "munder", "mtable", "mtr", "mtd",
    ];
    let children = |name: &str| match name {
        "mfrac" | "msub" | "msup" | "munder" => Some(2),
        "msubsup" => Some(3),
        _ => None,
    };
    for Rendered { name, mathml, .. } in transformer().iter().chain(&grammar()) {
        let document = roxmltree::Document::parse(mathml).unwrap_or_else(|error| panic!("{name}: {error}\n{mathml}"));
        for element in document.descendants().filter(|node| node.is_element()) {
            let tag = element.tag_name().name();
            assert!(core.contains(&tag), "{name}: <{tag}>");
            if let Some(count) = children(tag) {
                assert_eq!(element.children().count(), count, "{name}: children of <{tag}> in {mathml}");
            }
        }
        // Markdown would end the element at an empty line, and read what is no tag.
        assert!(!mathml.contains(['\n', '_', '*', '`', '[', ']']), "{name}: {mathml}");
    }
}

/// What the style file defines: a command, how many arguments it takes, and what it stands for.
const STYLE: [(&str, usize, &str); 4] = [
    ("\\name", 1, r"\mathsf{#1}"),
    ("\\nfun", 2, r"\mathop{\underset{\substack{#1}}{\mathrm{#2}}}"),
    ("\\ndot", 1, r"\mathbin{\underset{\substack{#1}}{\odot}}"),
    ("\\nsum", 1, r"\sum_{\substack{#1}}"),
];

/// The text with the commands of the style file replaced.
fn expanded(text: &str) -> String {
    let mut text = text.to_owned();
    for (command, count, meaning) in STYLE {
        while let Some(start) = text.find(&format!("{command}{{")) {
            let (mut end, mut meaning) = (start + command.len(), meaning.to_owned());
            for place in 1..=count {
                let argument = braced(&text[end..]);
                meaning = meaning.replace(&format!("#{place}"), &argument[1..argument.len() - 1]);
                end += argument.len();
            }
            text.replace_range(start..end, &meaning);
        }
    }
    text
}

/// The group in braces that a text begins with.
fn braced(text: &str) -> &str {
    let mut depth = 0;
    for (place, char) in text.char_indices() {
        match char {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            assert!(place > 0, "no group: {text}");
            return &text[..=place];
        }
    }
    panic!("a brace is not closed: {text}");
}

#[test]
fn latex_is_read_by_a_parser_once_the_commands_of_the_style_file_are_replaced() {
    for Rendered { name, latex, .. } in transformer().iter().chain(&grammar()) {
        let (text, storage) = (expanded(latex), Storage::new());
        let mut count = 0;
        for event in Parser::new(&text, &storage) {
            assert!(event.is_ok(), "{name}: {}\n{latex}", event.expect_err("it is an error"));
            count += 1;
        }
        assert!(count > 10, "{name}: only {count} events");
    }
}

#[test]
fn a_parser_of_latex_does_refuse_what_is_wrong() {
    for wrong in [r"\unknown{x}", r"\frac{x", r"x_1_2", r"\left( x"] {
        let storage = Storage::new();
        assert!(Parser::new(wrong, &storage).any(|event| event.is_err()), "{wrong}");
    }
}
