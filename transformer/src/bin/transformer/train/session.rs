//! One run of a task: begun or gone on with, stored now and then, and told of.
//!
//! All that a step depends on is the model, the memory of the optimiser and the number of the step; so a run that is
//! interrupted, by a signal or by force, and gone on with ends with the same bytes as one that is not.
//! Lives here: the order of events. Not here: the steps (`transformer::train`), the files (`folder`), the task itself.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use named_tensor::prelude::*;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use transformer::optimizer::Adam;
use transformer::picture::curve;
use transformer::train::batches::{Batches, seed_of};
use transformer::train::log::{Log, losses};
use transformer::train::{Course, Training};

use super::Options;
use super::folder::{Folder, Identity};
use super::progress::Progress;
use super::task::Task;
use crate::output::{remark, say, unusable};

/// The exit code of a run that a signal interrupted, as shells have it: 130 after Ctrl-C, 143 after SIGTERM.
const fn interrupted_by(signal: i32) -> u8 {
    128 + signal as u8
}

type Run<T> = Training<<T as Task>::Model, Adam<<T as Task>::Model>>;

/// Trains, and says what came of it.
pub(crate) fn run<T: Task>(task: &T, options: &Options) -> Result<ExitCode, Error> {
    let path: PathBuf = options.out.clone().unwrap_or_else(|| ["runs", T::NAME].iter().collect());
    if options.resume && !path.exists() {
        return Err(nothing_to_resume(&path));
    }
    let folder = Folder::new(path)?;
    let identity = identity(task, &folder, options)?;
    let model = task.model(identity.seed)?;
    let mut training: Run<T> = Training::new(model.clone(), task.optimizer(&model));
    if !options.resume {
        folder.clear()?;
    } else if folder.checkpoint().exists() {
        training.load(folder.checkpoint())?;
    }
    folder.identify(&identity)?;
    say(format_args!("{}\n", task.equations().join("\n\n")))?;
    say(format_args!("{identity}: {} parameters", training.model.count()))?;
    let interrupted = go(task, &folder, &identity, options.every, &mut training)?;
    training.save(folder.checkpoint())?;
    if let Some(code) = interrupted {
        remark(format_args!(
            "interrupted at step {} of {}, which is stored in `{}`: say the same with --resume to go on",
            training.steps,
            identity.steps,
            folder.path().display()
        ));
        return Ok(ExitCode::from(code));
    }
    training.model.save(folder.model())?;
    say(task.report(&training.model, &folder)?)?;
    draw_losses(T::NAME, &folder)?;
    say(format_args!("Files: {}", folder.path().display()))?;
    Ok(ExitCode::SUCCESS)
}

fn nothing_to_resume(path: &Path) -> Error {
    Error::new(ErrorKind::File, format!("there is no run in `{}` to resume", path.display()))
}

/// Which run is asked for, if the folder has room for it.
fn identity<T: Task>(task: &T, folder: &Folder, options: &Options) -> Result<Identity, Error> {
    let here = folder.identity()?;
    let known = here.as_ref().filter(|_| options.resume);
    let asked = Identity {
        task: T::NAME.to_owned(),
        data: task.data(),
        seed: options.seed.or(known.map(|run| run.seed)).unwrap_or(0),
        steps: options.steps.or(known.map(|run| run.steps)).unwrap_or_else(|| task.steps()),
    };
    let path = folder.path().display();
    let refused = |message: String| Err(Error::new(ErrorKind::File, message));
    match here {
        None if options.resume => Err(nothing_to_resume(folder.path())),
        None if folder.is_foreign()? => {
            refused(format!("`{path}` holds files that are no run: name another folder, or a new one, with --out"))
        }
        Some(run)
            if !options.resume && (run.task != asked.task || folder.model().exists() && !run.is_alike(&asked)) =>
        {
            refused(format!("`{path}` holds another run, {run}: name another folder with --out, or remove that one"))
        }
        Some(run) if options.resume && !folder.checkpoint().exists() && folder.model().exists() => {
            refused(format!("the run in `{path}`, {run}, has no checkpoint to go on from"))
        }
        Some(run) if options.resume && run != asked => {
            refused(format!("the run in `{path}` is {run}; it cannot be resumed as {asked}"))
        }
        Some(run) if !options.resume && folder.checkpoint().exists() && !folder.model().exists() => refused(format!(
            "`{path}` holds an unfinished run, {run}: say --resume to go on with it, or another folder with --out"
        )),
        _ => Ok(asked),
    }
}

/// The steps that are left; the exit code if a signal came before the last.
fn go<T: Task>(
    task: &T,
    folder: &Folder,
    identity: &Identity,
    every: u64,
    training: &mut Run<T>,
) -> Result<Option<u8>, Error> {
    let ((examples, size), path) = (task.examples(), folder.log());
    let batches = Batches { examples, size, seed: identity.seed };
    let tokens = size as f64 * task.tokens();
    // Before the log is there, which tells others that the run has begun.
    let stop = Stop::new();
    let mut log = Log::open(&path, training.steps).map_err(|error| unusable(&path, "write", &error))?;
    let mut progress = Progress::new(training.steps, identity.steps, tokens);
    let course =
        Course { last: identity.steps, rate: &|step| task.rate(step, identity.steps), longest: task.longest() };
    let mut before = Instant::now();
    let loss = |model: &T::Model, step| task.loss(model, &batches.at(step), seed_of(!identity.seed, step));
    let whole = training.run(&course, loss, |training, step| {
        log.add(step, tokens / before.elapsed().as_secs_f64()).map_err(|error| unusable(&path, "write", &error))?;
        before = Instant::now();
        progress.step(step);
        if step.number.is_multiple_of(every) {
            training.save(folder.checkpoint())?;
        }
        Ok(if stop.is_asked_for() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    });
    progress.end();
    Ok((!whole?).then(|| stop.code()))
}

/// Ctrl-C and SIGTERM ask the run to stop after the step at hand; a second one ends it at once.
#[derive(Default)]
struct Stop {
    asked_for: Arc<AtomicBool>,
    code: Arc<AtomicUsize>,
}

impl Stop {
    fn new() -> Stop {
        let stop = Stop::default();
        for signal in [SIGINT, SIGTERM] {
            let code = interrupted_by(signal);
            // In this order: the first signal finds nobody who asked before, and who finds that it came finds its code.
            let caught = flag::register_conditional_shutdown(signal, i32::from(code), Arc::clone(&stop.asked_for))
                .and_then(|_| flag::register_usize(signal, Arc::clone(&stop.code), usize::from(code)))
                .and_then(|_| flag::register(signal, Arc::clone(&stop.asked_for)));
            if let Err(error) = caught {
                remark(format_args!("a signal will end the run at once: {error}"));
            }
        }
        stop
    }

    fn is_asked_for(&self) -> bool {
        self.asked_for.load(Ordering::SeqCst)
    }

    /// The exit code, once it is asked for.
    fn code(&self) -> u8 {
        self.code.load(Ordering::SeqCst) as u8
    }
}

/// The curve of all losses of the log.
fn draw_losses(name: &str, folder: &Folder) -> Result<(), Error> {
    let losses = losses(folder.log()).map_err(|error| unusable(&folder.log(), "read", &error))?;
    folder.write("loss.svg", &curve(&format!("{name}: loss at each step"), &losses)).map(drop)
}
