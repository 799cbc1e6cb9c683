//! A crew of threads that wait for work, for a short while by spinning.
//!
//! Lives here: threads that live as long as the process, one for each processor but the caller's, and how a loop is handed
//! to them. A step of a plan is often shorter than it takes to wake a thread (20 to 50 µs), and the next step follows at
//! once; so a thread that has run out of work looks for more for [`PATIENCE`] before it sleeps, and the caller never waits
//! for one that comes late: it takes the pieces itself. A thread begins with a share of neighbours, up to 16 of them each
//! with their own, that lie where its share of the last loop lay: what it wrote then is still near.
//! Not here: how large the pieces are (`parallel`).
//!
//! One loop is handed out at a time. A loop that begins while another runs, inside it or in another thread of the program,
//! is run by its caller alone; and so is each loop of a process that was forked off, which has none of these threads. As with
//! every library that has locks, nobody else may be at work at the moment of the fork: what is locked then stays so there.

use super::settings;
use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering::SeqCst};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How long a thread without work looks for more before it sleeps.
const PATIENCE: Duration = Duration::from_micros(100);
/// The most shares that a loop has.
const SHARES: usize = 16;
/// The door is shut: set in [`Crew::door`] while no loop is handed out; the other bits count the threads inside.
const SHUT: usize = 1 << (usize::BITS - 1);

thread_local! {
    /// The number of threads that [`with_threads`] asks for, 0 elsewhere.
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

/// How many threads work on a loop, the caller included.
///
/// As many as the process may run on, or what the environment variable `NAMED_TENSOR_THREADS` says.
pub(super) fn threads() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    match ASKED.get() {
        0 => *COUNT.get_or_init(|| {
            // Who asks for no number of threads is told so before anything is computed (`plan`).
            let found = || std::thread::available_parallelism().map_or(1, usize::from);
            settings::threads().ok().flatten().unwrap_or_else(found).min(1024)
        }),
        asked => asked,
    }
}

/// Runs `work` as if there were `count` threads.
#[cfg(test)]
pub(super) fn with_threads<R>(count: usize, work: impl FnOnce() -> R) -> R {
    let before = ASKED.replace(count);
    let result = work();
    ASKED.set(before);
    result
}

/// Runs `piece` on each of `0..pieces` once, on all threads that are free. A panic of a piece is passed on.
pub(super) fn run(pieces: usize, piece: &(dyn Fn(usize) + Sync)) {
    if pieces < 2 || threads() < 2 || !has_crew() || CREW.taken.swap(true, SeqCst) {
        return (0..pieces).for_each(piece);
    }
    CREW.hand_out(&Loop::new(piece, pieces));
}

static CREW: Crew = Crew::new();

/// Whether the threads are of this process. The first time they are made.
fn has_crew() -> bool {
    static HIRED_BY: OnceLock<u32> = OnceLock::new();
    let process = std::process::id();
    *HIRED_BY.get_or_init(|| {
        for i in 1..threads() {
            // Where no thread can be made, the caller works alone.
            let _ = std::thread::Builder::new().name(format!("named-tensor {i}")).spawn(move || CREW.serve(i));
        }
        process
    }) == process
}

/// A loop that is handed out, its pieces in shares of neighbours.
struct Loop<'a> {
    piece: &'a (dyn Fn(usize) + Sync),
    pieces: usize,
    /// How many shares there are, and the piece of each to be taken next.
    shares: usize,
    next: [Place; SHARES],
    /// What a piece panicked with.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// A number that lies apart from others, so that threads that count in different ones do not disturb each other.
#[repr(align(128))]
struct Place(AtomicUsize);

impl Loop<'_> {
    fn new(piece: &(dyn Fn(usize) + Sync), pieces: usize) -> Loop<'_> {
        let shares = threads().min(pieces).min(SHARES);
        let next = std::array::from_fn(|share| Place(AtomicUsize::new(first(pieces, shares, share))));
        Loop { piece, pieces, shares, next, panic: Mutex::new(None) }
    }

    /// Takes the pieces of the share of `member`, and then what is left of the others.
    fn work(&self, member: usize) {
        let share = |share: usize| {
            let end = first(self.pieces, self.shares, share + 1);
            std::iter::repeat_with(move || self.next[share].0.fetch_add(1, SeqCst)).take_while(move |&i| i < end)
        };
        let pieces = || (0..self.shares).flat_map(|i| share((member + i) % self.shares));
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| pieces().for_each(self.piece))) {
            self.next.iter().for_each(|next| next.0.store(self.pieces, SeqCst));
            *lock(&self.panic) = Some(panic);
        }
    }
}

/// The first piece of a share.
fn first(pieces: usize, shares: usize, share: usize) -> usize {
    share * (pieces / shares) + share.min(pieces % shares)
}

/// What the threads share.
struct Crew {
    /// Whether somebody hands out a loop.
    taken: AtomicBool,
    /// [`SHUT`], and the number of threads inside.
    door: AtomicUsize,
    /// The loop behind the door: whole as long as the door is open or somebody is inside.
    at_hand: AtomicPtr<Loop<'static>>,
    /// How many loops were handed out.
    round: AtomicUsize,
    /// The number of threads that sleep, and the bell that wakes them.
    asleep: Mutex<usize>,
    sleepers: AtomicUsize,
    bell: Condvar,
}

impl Crew {
    const fn new() -> Crew {
        Crew {
            taken: AtomicBool::new(false),
            door: AtomicUsize::new(SHUT),
            at_hand: AtomicPtr::new(ptr::null_mut()),
            round: AtomicUsize::new(0),
            asleep: Mutex::new(0),
            sleepers: AtomicUsize::new(0),
            bell: Condvar::new(),
        }
    }

    /// Runs a loop together with whoever comes. Called by who has set `taken`.
    fn hand_out(&self, work: &Loop<'_>) {
        self.at_hand.store(ptr::from_ref(work).cast::<Loop<'static>>().cast_mut(), SeqCst);
        // The door is open before the loop is told of: who comes to a shut one takes the loop to be over.
        self.door.store(0, SeqCst);
        self.round.fetch_add(1, SeqCst);
        if self.sleepers.load(SeqCst) > 0 {
            let _guard = lock(&self.asleep);
            self.bell.notify_all();
        }
        work.work(0);
        // No piece is left. The loop lives until the last thread that has one is done.
        let mut waited = 0_u32;
        self.door.fetch_or(SHUT, SeqCst);
        while self.door.load(SeqCst) != SHUT {
            wait(&mut waited);
        }
        self.taken.store(false, SeqCst);
        if let Some(panic) = lock(&work.panic).take() {
            resume_unwind(panic);
        }
    }

    /// The life of a thread of the crew, the caller being its first.
    fn serve(&self, member: usize) {
        let mut seen = 0;
        loop {
            seen = self.next_round(seen);
            let enter = |door| (door & SHUT == 0).then_some(door + 1);
            if self.door.fetch_update(SeqCst, SeqCst, enter).is_ok() {
                let work = self.at_hand.load(SeqCst);
                // SAFETY: this thread is inside, and came in while the door was open; `hand_out` stored the pointer to a
                // loop that it borrows before it opened the door, and returns only when nobody is inside.
                unsafe { &*work }.work(member);
                self.door.fetch_sub(1, SeqCst);
            }
        }
    }

    /// Waits until a loop is handed out after the round `seen`, and returns its round.
    fn next_round(&self, seen: usize) -> usize {
        let (start, mut waited) = (Instant::now(), 0_u32);
        loop {
            let round = self.round.load(SeqCst);
            if round != seen {
                return round;
            }
            wait(&mut waited);
            if waited.is_multiple_of(64) && start.elapsed() > PATIENCE {
                break;
            }
        }
        let mut asleep = lock(&self.asleep);
        // Who hands out a loop either sees this number, or has raised `round` before it is read below.
        self.sleepers.fetch_add(1, SeqCst);
        while self.round.load(SeqCst) == seen {
            asleep = self.bell.wait(asleep).unwrap_or_else(PoisonError::into_inner);
        }
        self.sleepers.fetch_sub(1, SeqCst);
        drop(asleep);
        self.round.load(SeqCst)
    }
}

/// One turn of waiting: spins, and now and then lets another thread have the processor.
fn wait(waited: &mut u32) {
    *waited = waited.wrapping_add(1);
    if waited.is_multiple_of(1024) { std::thread::yield_now() } else { std::hint::spin_loop() }
}

/// Locks; what is behind these locks is whole even if a thread panicked.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_runs_once_in_each_of_many_loops() {
        with_threads(4, || {
            for pieces in (0..200).chain([5000]) {
                let sum = AtomicUsize::new(0);
                run(pieces, &|i| {
                    sum.fetch_add(i + 1, SeqCst);
                });
                assert_eq!(sum.into_inner(), pieces * (pieces + 1) / 2, "{pieces} pieces");
            }
        });
    }

    #[test]
    fn a_thread_begins_with_its_own_share_and_takes_what_others_leave() {
        let taken = Mutex::new(Vec::new());
        let take = |i| lock(&taken).push(i);
        let work = with_threads(3, || Loop::new(&take, 8));
        work.work(1);
        work.work(0);
        assert_eq!(*lock(&taken), [3, 4, 5, 6, 7, 0, 1, 2], "its own, and then all others, once");
    }

    #[test]
    fn a_thread_that_sleeps_is_woken() {
        with_threads(2, || {
            for _ in 0..3 {
                std::thread::sleep(3 * PATIENCE);
                let arrived = AtomicUsize::new(0);
                // Two pieces that wait for each other need two threads, if the crew is this test's for the moment.
                run(2, &|_| {
                    arrived.fetch_add(1, SeqCst);
                    let start = Instant::now();
                    while arrived.load(SeqCst) < 2 && start.elapsed() < Duration::from_millis(20) {
                        std::thread::yield_now();
                    }
                });
                assert_eq!(arrived.into_inner(), 2, "both pieces ran");
            }
        });
    }

    #[test]
    fn a_thread_comes_to_each_of_many_loops_that_follow_one_another() {
        static OWN: Crew = Crew::new();
        std::thread::spawn(|| OWN.serve(1));
        let (start, patience) = (Instant::now(), Duration::from_secs(60));
        with_threads(2, || {
            // Fewer of them where others use the processors.
            for number in (0..20_000).take_while(|_| start.elapsed() < Duration::from_secs(5)) {
                let (arrived, start) = (AtomicUsize::new(0), Instant::now());
                // Two pieces that wait for each other.
                let piece = |_| {
                    arrived.fetch_add(1, SeqCst);
                    let mut waited = 0;
                    while arrived.load(SeqCst) < 2 && start.elapsed() < patience {
                        wait(&mut waited);
                    }
                };
                OWN.hand_out(&Loop::new(&piece, 2));
                assert!(start.elapsed() < patience, "nobody comes to loop {number}");
            }
        });
    }

    #[test]
    fn loops_within_loops_and_beside_loops_all_run() {
        with_threads(3, || {
            let sum = AtomicUsize::new(0);
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        with_threads(3, || {
                            for _ in 0..50 {
                                run(8, &|_| {
                                    run(8, &|_| {
                                        sum.fetch_add(1, SeqCst);
                                    });
                                });
                            }
                        });
                    });
                }
            });
            assert_eq!(sum.into_inner(), 4 * 50 * 64, "pieces of pieces");
        });
    }

    #[test]
    fn a_panic_in_a_piece_reaches_the_caller_and_the_crew_goes_on() {
        with_threads(2, || {
            for _ in 0..20 {
                let caught = catch_unwind(|| run(16, &|i| assert!(i != 7, "piece seven")));
                let text = caught.expect_err("the panic is passed on");
                assert_eq!(text.downcast_ref::<&str>(), Some(&"piece seven"), "as it was");
            }
            let count = AtomicUsize::new(0);
            run(16, &|_| {
                count.fetch_add(1, SeqCst);
            });
            assert_eq!(count.into_inner(), 16, "afterwards");
        });
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_that_is_forked_off_while_a_thread_falls_asleep_works_alone() {
        let sum = |sum: &AtomicUsize| {
            run(16, &|i| {
                sum.fetch_add(i, SeqCst);
            });
        };
        with_threads(2, || {
            sum(&AtomicUsize::new(0));
            let asleep = lock(&CREW.asleep);
            CREW.sleepers.fetch_add(1, SeqCst);
            // SAFETY: the child makes no use of what other threads may hold: it counts in its own memory, and ends.
            let child = unsafe { libc::fork() };
            if child == 0 {
                let found = AtomicUsize::new(0);
                sum(&found);
                // SAFETY: nothing of this process is needed any more.
                unsafe { libc::_exit(i32::from(found.into_inner() != 120)) };
            }
            CREW.sleepers.fetch_sub(1, SeqCst);
            drop(asleep);
            assert!(child > 0, "there is a child");
            let (mut status, start) = (-1, Instant::now());
            // SAFETY: it is a child of this process that nobody else waits for, and the status has a place.
            while unsafe { libc::waitpid(child, &raw mut status, libc::WNOHANG) } == 0 {
                if start.elapsed() > Duration::from_secs(20) {
                    // SAFETY: the child is still there.
                    let _ = unsafe { libc::kill(child, libc::SIGKILL) };
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            assert_eq!(status, 0, "it has the sum, and did not wait for others");
        });
    }
}
