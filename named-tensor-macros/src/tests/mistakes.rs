//! Half-written and mangled input: whatever the editor sends, the macros answer with tokens and never panic.
//!
//! Also the refusals of `#[lift]`, whose other half is the golden files.

use proc_macro2::{Group, TokenStream, TokenTree};

use super::tokens;

const BLOCK: &str = "axis foo; /// Doc.
    pub fn f_{ax}(X: R[ax, seq], I: vocab[seq]; W: R[seq, key] ~ glorot({seq} -> {key}), n: Norm, b: R[key] = 1 / |key|)
        -> R[ax, key] where |seq| = 2 * |key| {
        Y: R[ax, key] = n_{ax}(X dot_seq W_{seq -> seq}) + b;
        M_{key(i), seq(j: 5)} = if i % 2 <= j && !(j == 3) { -inf } else { sum_{seq}(X_{seq(I + 0), ax(2)}) ^ 2 };
        softmax_key(Y)_{(ax, key) -> flat}_{flat -> (ax: 2, key)}_{key(1..)} * crate::g(max(M, 0), one_hot_vocab(I, 9))
    }";

/// The stream with the token at `place` (counted through all groups) replaced by what `change` makes of it.
fn changed(stream: TokenStream, place: &mut usize, change: &dyn Fn(TokenTree) -> Vec<TokenTree>) -> TokenStream {
    let mut result = Vec::new();
    for token in stream {
        let hit = *place == 0;
        *place = place.wrapping_sub(1);
        if hit {
            result.extend(change(token));
        } else if let TokenTree::Group(group) = token {
            result.push(Group::new(group.delimiter(), changed(group.stream(), place, change)).into());
        } else {
            result.push(token);
        }
    }
    result.into_iter().collect()
}

fn count(stream: TokenStream) -> usize {
    let inside = |token| if let TokenTree::Group(group) = token { count(group.stream()) } else { 0 };
    stream.into_iter().map(|token| 1 + inside(token)).sum()
}

fn is_answered(input: TokenStream) {
    let text = input.to_string();
    let output = crate::named::expand(input);
    let parsed = syn::parse2::<syn::File>(output.clone());
    assert!(parsed.is_ok(), "{text}\nbecame\n{output}");
}

#[test]
fn the_whole_block_is_right() {
    let output = crate::named::expand(tokens(BLOCK)).to_string();
    assert!(!output.contains("compile_error"), "{output}");
}

#[test]
fn a_type_of_rust_is_answered_with_those_of_the_notation() {
    for rust in ["Tensor<R![seq]>", "usize", "bool"] {
        let output = crate::named::expand(tokens(&format!("fn f(X: {rust}) -> R[] {{ sum_seq(X) }}"))).to_string();
        assert!(output.contains("is a type of Rust, not of the notation"), "{output}");
        assert!(output.contains("one number `R[]`"), "{output}");
    }
}

#[test]
fn a_missing_token_anywhere_is_answered() {
    for place in 0..count(tokens(BLOCK)) {
        is_answered(changed(tokens(BLOCK), &mut place.clone(), &|_| Vec::new()));
    }
}

#[test]
fn a_doubled_token_anywhere_is_answered() {
    for place in 0..count(tokens(BLOCK)) {
        is_answered(changed(tokens(BLOCK), &mut place.clone(), &|token| vec![token.clone(), token]));
    }
}

#[test]
fn a_foreign_token_anywhere_is_answered() {
    for word in ["type", "_", "dot_2", "sum_type", "r#X_", "'a'", "{ }", "( )", "->", ";", "|", "if"] {
        let word: Vec<TokenTree> = tokens(word).into_iter().collect();
        for place in 0..count(tokens(BLOCK)) {
            is_answered(changed(tokens(BLOCK), &mut place.clone(), &|_| word.clone()));
        }
    }
}

#[test]
fn a_text_that_ends_anywhere_is_answered() {
    let all: Vec<TokenTree> = tokens(BLOCK).into_iter().collect();
    for end in 0..all.len() {
        is_answered(all[..end].iter().cloned().collect());
    }
}

#[test]
fn what_cannot_be_lifted_is_refused_with_the_reason() {
    let refusals = [
        ("fn f(&self, x: &Tensor<a>) -> Tensor<a> { x }", "a method cannot be lifted"),
        ("fn f(x: Tensor<a>) -> Tensor<a> { x }", "a lifted function borrows its tensors"),
        ("fn f(x: &mut Tensor<a>) -> Tensor<a> { x }", "cannot change its tensors"),
        ("fn f(x: &Tensor<a>) -> f32 { 0.0 }", "a lifted function returns one tensor"),
        ("fn f(x: &Tensor<a>) {}", "a lifted function returns one tensor"),
        ("fn f(x: f32) -> Tensor<a> { y }", "nothing to lift"),
        ("async fn f(x: &Tensor<a>) -> Tensor<a> { y }", "cannot be `async`"),
        ("struct F;", "stands before a function"),
    ];
    for (source, reason) in refusals {
        let output = crate::lift::expand(TokenStream::new(), tokens(source)).to_string();
        assert_eq!(output.matches("compile_error").count(), 1, "{source}\n{output}");
        assert!(output.contains(reason), "{source}\n{output}");
    }
}
