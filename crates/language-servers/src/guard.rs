//! No language server outlives us. Each runs below a guard: our own binary, started again with
//! `__guard`, which does nothing but wait. When we end, however we end, the guard's socket to us
//! closes, and it ends the server with all its children and children's children. `process` starts
//! guards; the binary's `main` must call [`guard_main`] first.
//!
//! The guard has three descriptors. Standard input and output are the server's, handed on
//! untouched. Standard error is a socket to us: its end of file means that we are gone, and what
//! the server writes to its own standard error goes out on it, after one line that names the
//! server's process.

use std::ffi::OsString;

/// The hidden first argument.
pub const GUARD_ARGUMENT: &str = "__guard";

/// Whether these arguments (the program's own name first) ask for a guard.
pub fn is_guard_invocation(args: &[OsString]) -> bool {
    args.get(1).is_some_and(|arg| arg == GUARD_ARGUMENT)
}

/// Runs a guard to its end: `[program, "__guard", server, server's arguments ...]`.
pub fn guard_main(args: Vec<OsString>) -> ! {
    #[cfg(unix)]
    let code = unix::guard(&args[2..]);
    #[cfg(not(unix))]
    let code = {
        let _ = args;
        eprintln!("guards exist on Unix only");
        2
    };
    std::process::exit(code)
}

#[cfg(unix)]
mod unix {
    use std::ffi::OsString;
    use std::io::{self, Read, Write};
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};
    use std::sync::mpsc::{self, Receiver, Sender};
    use std::thread;
    use std::time::{Duration, Instant};

    use rustix::process::{Pid, WaitOptions, wait};

    use crate::platform;

    /// How long processes may take to end by themselves once asked. With what follows this stays
    /// well below two seconds.
    const GRACE: Duration = Duration::from_millis(600);
    /// How long we insist after that. What survives SIGKILL so long hangs in the kernel.
    const INSISTENCE: Duration = Duration::from_millis(900);
    /// How long what the server wrote last may take on its way to our parent.
    const LAST_WORDS: Duration = Duration::from_millis(500);

    enum Event {
        /// Our parent is gone, wants the server gone, or somebody asked us to end.
        Cut,
        ServerEnded,
    }

    pub fn guard(server: &[OsString]) -> i32 {
        // A session of its own: what the terminal sends to its foreground group must not reach us.
        let _ = rustix::process::setsid();
        platform::adopt_orphans();
        platform::set_process_name(c"lsp-guard");
        let (sender, events) = mpsc::channel();
        let started = watch_signals(sender.clone()).and_then(|()| start(server, sender));
        let (leader, relayed) = match started {
            Ok(started) => started,
            Err(error) => {
                eprintln!(
                    "cannot start {:?}: {error}",
                    server.first().unwrap_or(&OsString::new())
                );
                return 127;
            }
        };
        let cut = !matches!(events.recv(), Ok(Event::ServerEnded));
        end_everything(leader);
        // The server may have ended before the relay read why; a process that survived everything
        // may hold its standard error open.
        let _ = relayed.recv_timeout(LAST_WORDS);
        i32::from(cut)
    }

    /// The server's process, and a channel that closes when its standard error has been handed on.
    fn start(server: &[OsString], events: Sender<Event>) -> io::Result<(u32, Receiver<()>)> {
        let (program, args) = server.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let parent = UnixStream::from(io::stderr().as_fd().try_clone_to_owned()?);
        let mut child = Command::new(program)
            .args(args)
            .stdin(Stdio::inherit())
            .stdout(Stdio::inherit())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let leader = child.id();
        writeln!(&parent, "{leader}")?;

        let errors = child.stderr.take();
        let to_parent = parent.try_clone()?;
        let (is_relaying, relayed) = mpsc::channel();
        let relay = move || {
            let _is_relaying = is_relaying;
            let (Some(mut errors), mut to_parent) = (errors, to_parent) else {
                return;
            };
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = errors.read(&mut buffer) {
                // Reading goes on without a reader behind us: a server must not block on its own
                // complaints.
                let _ = to_parent.write_all(&buffer[..n]);
            }
        };
        thread::Builder::new().name("stderr".into()).spawn(relay)?;

        let to_main = events.clone();
        let lifeline = move || {
            let mut parent = parent;
            while let Ok(1..) = parent.read(&mut [0; 64]) {}
            let _ = to_main.send(Event::Cut);
        };
        thread::Builder::new()
            .name("lifeline".into())
            .spawn(lifeline)?;

        // Orphans below us become our children, so every one of them is waited for here.
        let reap = move || {
            while let Ok(ended) = wait(WaitOptions::empty()) {
                if ended.is_some_and(|(pid, status)| {
                    pid == pid_of(leader) && (status.exited() || status.signaled())
                }) {
                    let _ = events.send(Event::ServerEnded);
                }
            }
        };
        thread::Builder::new().name("reaper".into()).spawn(reap)?;
        Ok((leader, relayed))
    }

    fn watch_signals(events: Sender<Event>) -> io::Result<()> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
        let mut signals = signal_hook::iterator::Signals::new([SIGTERM, SIGINT, SIGHUP, SIGQUIT])?;
        let forward = move || {
            for _ in signals.forever() {
                let _ = events.send(Event::Cut);
            }
        };
        thread::Builder::new()
            .name("signals".into())
            .spawn(forward)?;
        Ok(())
    }

    fn end_everything(leader: u32) {
        let began = Instant::now();
        let mut asked = false;
        loop {
            let force = began.elapsed() > GRACE;
            let left = living_below_us(leader);
            if left.is_empty() || began.elapsed() > GRACE + INSISTENCE {
                return;
            }
            // Asked once, forced as often as needed: a process may be born between the look and the
            // signal.
            if force || !asked {
                platform::end_group(leader, force);
                for pid in left {
                    platform::end_process(pid, force);
                }
                asked = true;
            }
            thread::sleep(Duration::from_millis(15));
        }
    }

    fn living_below_us(leader: u32) -> Vec<u32> {
        match platform::descendants(std::process::id()) {
            Some(descendants) => descendants
                .iter()
                .filter(|process| !process.is_zombie)
                .map(|process| process.pid)
                .collect(),
            // Without a list of processes the group is all we can know.
            None if rustix::process::test_kill_process_group(pid_of(leader)).is_ok() => {
                vec![leader]
            }
            None => Vec::new(),
        }
    }

    fn pid_of(raw: u32) -> Pid {
        Pid::from_raw(raw as i32).expect("a child's id is never zero")
    }
}
