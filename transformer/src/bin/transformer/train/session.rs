//! One run of a task: begun or gone on with, stored now and then, and told of.
//!
//! All that a step depends on is the model, the memory of the optimiser and the number of the step; so a run that is
//! interrupted, by a signal or by force, and gone on with ends with the same bytes as one that is not.
//! Lives here: the order of events. Not here: the steps (`transformer::train`), the files (`folder`), the task itself.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use named_tensor::prelude::*;
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

/// The exit code of a run that was interrupted: 128 and the number of the signal, as shells have it.
const INTERRUPTED: u8 = 130;

/// Whether the run was asked to stop.
static STOP: AtomicBool = AtomicBool::new(false);

type Run<T> = Training<<T as Task>::Model, Adam<<T as Task>::Model>>;

/// Trains, and says what came of it.
pub(crate) fn run<T: Task>(task: &T, options: &Options) -> Result<ExitCode, Error> {
    let folder = Folder::new(options.out.clone().unwrap_or_else(|| ["runs", T::NAME].iter().collect()))?;
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
    catch_interrupts();
    let whole = go(task, &folder, &identity, options.every, &mut training)?;
    training.save(folder.checkpoint())?;
    if !whole {
        remark(format_args!(
            "interrupted at step {} of {}, which is stored in `{}`: say the same with --resume to go on",
            training.steps,
            identity.steps,
            folder.path().display()
        ));
        return Ok(ExitCode::from(INTERRUPTED));
    }
    training.model.save(folder.model())?;
    say(task.report(&training.model, &folder)?)?;
    draw_losses(T::NAME, &folder)?;
    say(format_args!("Files: {}", folder.path().display()))?;
    Ok(ExitCode::SUCCESS)
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
        None if options.resume => refused(format!("there is no run in `{path}` to resume")),
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

/// The steps that are left; whether the last was reached.
fn go<T: Task>(
    task: &T,
    folder: &Folder,
    identity: &Identity,
    every: u64,
    training: &mut Run<T>,
) -> Result<bool, Error> {
    let ((examples, size), path) = (task.examples(), folder.log());
    let batches = Batches { examples, size, seed: identity.seed };
    let tokens = size as f64 * task.tokens();
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
        Ok(if STOP.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    });
    progress.end();
    whole
}

/// Ctrl-C, SIGTERM and a terminal that closes ask the run to stop after the step at hand; another Ctrl-C ends it at once.
fn catch_interrupts() {
    if outlives_terminal() {
        // Signals are caught all together, so none is.
        return remark("the run outlives its terminal; Ctrl-C will end it at once");
    }
    let mut first = None;
    let caught = ctrlc::set_handler(move || {
        STOP.store(true, Ordering::Relaxed);
        // A terminal that closes may say so twice at once, which is no second thought.
        if first.get_or_insert_with(Instant::now).elapsed() > Duration::from_millis(500) {
            std::process::exit(i32::from(INTERRUPTED));
        }
    });
    if let Err(error) = caught {
        remark(format_args!("Ctrl-C will end the run at once: {error}"));
    }
}

/// Whether the run was started so that it goes on when its terminal closes, by `nohup` for instance, as Linux tells.
fn outlives_terminal() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // The lowest bit is the first signal, SIGHUP.
    ignored.and_then(|signals| u64::from_str_radix(signals.trim(), 16).ok()).is_some_and(|signals| signals & 1 == 1)
}

/// The curve of all losses of the log.
fn draw_losses(name: &str, folder: &Folder) -> Result<(), Error> {
    let losses = losses(folder.log()).map_err(|error| unusable(&folder.log(), "read", &error))?;
    folder.write("loss.svg", &curve(&format!("{name}: loss at each step"), &losses)).map(drop)
}
