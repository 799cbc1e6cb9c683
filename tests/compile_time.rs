//! How long rustc thinks about an equation.
//!
//! Writes crates of 10, 100 and 400 equations of eight operations each, in three forms (on the graph, without axis
//! types; as typed Rust under `#[lift]`; in `named!`), runs `cargo check` on each and prints milliseconds of
//! processor time per equation beyond an empty crate, the least of three runs. Also with 30 axes that share a long prefix, and at rank 8.
//! With `--quick`, only 100 equations of each form, once. It says whether `named!` is within its budget and never fails
//! for it: a busy machine is no mistake of the program.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use std::{env, fs, io};

/// Milliseconds of `cargo check` that one equation in `named!` may cost.
const BUDGET: f64 = 12.0;

/// The form in which the equations are written.
#[derive(Clone, Copy)]
enum Form {
    Erased,
    Typed,
    Named,
}

/// What the axes are called and how many the tensors have.
#[derive(Clone, Copy)]
struct Style {
    title: &'static str,
    prefix: &'static str,
    /// Axes that every tensor but the smallest has beside those of the equation.
    further: usize,
}

const STYLES: [Style; 3] = [
    Style { title: "30 axes, rank 3 to 4", prefix: "ax", further: 0 },
    Style { title: "a long shared prefix", prefix: "a_rather_long_prefix_that_all_axes_share_", further: 0 },
    Style { title: "rank 7 to 8", prefix: "ax", further: 4 },
];

fn main() -> io::Result<()> {
    let quick = env::args().any(|argument| argument == "--quick");
    let folder = env::temp_dir().join(format!("named-tensor-compile-time-{}", std::process::id()));
    let result = measure(&folder, quick);
    fs::remove_dir_all(&folder)?;
    let worst = result?;
    let verdict = if worst > BUDGET { "over" } else { "within" };
    let line = format!("\nat most {worst:.1} ms per equation in named!: {verdict} the budget of {BUDGET} ms\n");
    io::Write::write_all(&mut io::stdout().lock(), line.as_bytes())
}

/// Prints the table; the most that an equation in `named!` cost.
fn measure(folder: &Path, quick: bool) -> io::Result<f64> {
    let styles = if quick { &STYLES[..1] } else { &STYLES[..] };
    let counts: &[usize] = if quick { &[100] } else { &[10, 100, 400] };
    let mut worst = 0.0_f64;
    let mut out = io::stdout().lock();
    for style in styles {
        io::Write::write_all(&mut out, format!("\n{}\n", style.title).as_bytes())?;
        let header = "equations | without axis types | typed, #[lift] | named! (ms per equation of cargo check)\n";
        io::Write::write_all(&mut out, header.as_bytes())?;
        for &count in counts {
            let mut row = format!("{count:9} ");
            for form in [Form::Erased, Form::Typed, Form::Named] {
                let empty = check(folder, &source(form, *style, 0), quick)?;
                let full = check(folder, &source(form, *style, count), quick)?;
                let each = full.saturating_sub(empty).as_secs_f64() * 1e3 / count as f64;
                let _ = write!(row, "| {each:.2} ");
                if matches!(form, Form::Named) {
                    worst = worst.max(each);
                }
            }
            io::Write::write_all(&mut out, (row + "\n").as_bytes())?;
        }
    }
    Ok(worst)
}

/// The least time of `cargo check` of a crate with this source, its dependencies being checked already.
fn check(folder: &Path, source: &str, once: bool) -> io::Result<Duration> {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("named-tensor");
    fs::create_dir_all(folder.join("src"))?;
    let manifest = format!(
        "[package]\nname = \"equations\"\nedition = \"2024\"\n[workspace]\n[dependencies]\nnamed-tensor = {{ path = {library:?} }}\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest)?;
    let file = folder.join("src/lib.rs");
    // The lock file of the workspace, so that nothing is looked up.
    let lock = library.with_file_name("Cargo.lock");
    if lock.exists() && !folder.join("Cargo.lock").exists() {
        fs::copy(&lock, folder.join("Cargo.lock"))?;
    }
    fs::write(&file, "//! Nothing.\n")?;
    cargo_check(folder)?;
    let mut least = Duration::MAX;
    for run in 0..if once { 1 } else { 3 } {
        fs::write(&file, format!("{source}\n// {run}\n"))?;
        let start = spent();
        cargo_check(folder)?;
        least = least.min(spent().saturating_sub(start));
    }
    Ok(least)
}

/// The processor time of all children so far, which other work on the machine does not change much; where the system
/// does not tell, the time of the clock.
fn spent() -> Duration {
    static START: OnceLock<Instant> = OnceLock::new();
    let clock = START.get_or_init(Instant::now).elapsed();
    // Fields 16 and 17 of stat, counted from 1, are the children's user and system time in hundredths of a second; the
    // name in field 2 ends with the last parenthesis.
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map(|(_, rest)| rest.split_whitespace().collect::<Vec<_>>()).unwrap_or_default();
    match (fields.get(13).and_then(|f| f.parse::<u64>().ok()), fields.get(14).and_then(|f| f.parse::<u64>().ok())) {
        (Some(user), Some(system)) => Duration::from_millis(10 * (user + system)),
        _ => clock,
    }
}

fn cargo_check(folder: &Path) -> io::Result<()> {
    let cargo = env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from);
    let output = Command::new(cargo)
        .args(["check", "--quiet", "--offline"])
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env("CARGO_INCREMENTAL", "0")
        .current_dir(folder)
        .output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()))
}

/// A crate of `count` equations.
fn source(form: Form, style: Style, count: usize) -> String {
    let axis = |number: usize| format!("{}{}", style.prefix, spelt(number % 30));
    let all: Vec<String> = (0..30).map(axis).collect();
    let mut text = String::from("#![allow(non_snake_case)]\n");
    match form {
        Form::Erased => {
            text.push_str("use named_tensor::{axis::Name, element::{Binary, Unary}, graph::Node};\n");
            for name in &all {
                let _ = writeln!(
                    text,
                    "#[allow(non_upper_case_globals)] pub const {name}: Name = Name::declared({name:?});"
                );
            }
        }
        Form::Typed => {
            let _ = writeln!(text, "use named_tensor::prelude::*;\naxes! {{ {} }}", all.join(", "));
        }
        Form::Named => {
            let _ = writeln!(text, "use named_tensor::prelude::*;\naxes! {{ {} }}\nnamed! {{", all.join(", "));
        }
    }
    for number in 0..count {
        // Strides that are coprime to 30 give ever new combinations.
        let pick = |place: usize| axis(number * 7 + place * (1 + 2 * (number / 30 % 7)) + place + number / 210);
        let mut five: Vec<String> = Vec::new();
        let mut place = 0;
        while five.len() < 5 + style.further {
            let name = pick(place);
            place += 1;
            if !five.contains(&name) {
                five.push(name);
            } else if place > 200 {
                five.push(all.iter().find(|name| !five.contains(name)).expect("30 axes are more than 9").clone());
            }
        }
        text.push_str(&equation(form, number, &five));
    }
    if matches!(form, Form::Named) {
        text.push('}');
    }
    text
}

/// One equation of eight operations.
fn equation(form: Form, number: usize, axes: &[String]) -> String {
    let [a, b, c, d, e, further @ ..] = axes else { return String::new() };
    let more: String = further.iter().map(|name| format!(", {name}")).collect();
    match form {
        Form::Erased => format!(
            "pub fn F{number}(X: &Node, Y: &Node, Z: &Node, W: &Node) -> Node {{
    let T = X.contract(Y, &[{b}]).softmax(&[{d}], false).contract(Z, &[{d}]);
    let S = T.binary(Binary::Add, W).unary(Unary::Relu).binary(Binary::Mul, W);
    S.standardize(&[{c}], 1e-5).binary(Binary::Sub, W)
}}\n"
        ),
        Form::Typed => format!(
            "#[lift]
pub fn F{number}(X: &Tensor<R![{a}, {b}{more}]>, Y: &Tensor<R![{b}, {c}, {d}]>, Z: &Tensor<R![{d}, {e}]>, W: &Tensor<R![{a}, {c}]>) -> Tensor<R![{a}, {c}, {e}{more}]> {{
    let T = X.dot({b}, Y).softmax({d}).dot({d}, Z);
    let S = (T + W).relu() * W;
    S.standardize({c}) - W
}}\n"
        ),
        Form::Named => format!(
            "pub fn F{number}(X: R[{a}, {b}{more}], Y: R[{b}, {c}, {d}], Z: R[{d}, {e}], W: R[{a}, {c}]) -> R[{a}, {c}, {e}{more}] {{
    T = softmax_{d}(X dot_{b} Y) dot_{d} Z;
    S = relu(T + W) * W;
    standardize_{c}(S) - W
}}\n"
        ),
    }
}

/// A number in letters.
fn spelt(number: usize) -> String {
    let letters = b"abcdefghijklmnopqrstuvwxyzABCD";
    char::from(letters[number % letters.len()]).to_string() + &(number / 10).to_string()
}
