//! What the operating system knows about processes: the one place that differs between systems.

#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;

#[cfg(unix)]
mod unix {
    use std::{io, path::Path};

    use rustix::process::{Pid, Signal, kill_process, kill_process_group};

    /// Asks a process, or with `force` makes it, to end. A process that is gone already is no
    /// error.
    pub fn end_process(pid: u32, force: bool) {
        if let Some(pid) = Pid::from_raw(pid as i32) {
            let _ = kill_process(pid, signal(force));
        }
    }

    /// Ends a whole process group, named by its leader.
    pub fn end_group(leader: u32, force: bool) {
        if let Some(leader) = Pid::from_raw(leader as i32) {
            let _ = kill_process_group(leader, signal(force));
        }
    }

    /// Makes processes below us whose parent ends our children, so that none is lost. Only Linux
    /// can.
    pub fn adopt_orphans() {
        #[cfg(target_os = "linux")]
        let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    }

    /// Makes a file reachable under another path.
    pub fn link_file(target: &Path, at: &Path) -> io::Result<()> {
        std::os::unix::fs::symlink(target, at)
    }

    /// The name that `ps` and `pkill` show and take.
    pub fn set_process_name(name: &std::ffi::CStr) {
        #[cfg(target_os = "linux")]
        let _ = rustix::thread::set_name(name);
        #[cfg(not(target_os = "linux"))]
        let _ = name;
    }

    /// The processes below `ancestor`, itself not included, and their resident bytes. `None` where
    /// the system does not tell.
    pub fn descendants(ancestor: u32) -> Option<Vec<Descendant>> {
        #[cfg(target_os = "linux")]
        return Some(linux::descendants(ancestor));
        #[cfg(not(target_os = "linux"))]
        {
            let _ = ancestor;
            None
        }
    }

    #[derive(Debug, Clone, Copy)]
    pub struct Descendant {
        pub pid: u32,
        pub resident_bytes: u64,
        /// It has ended and waits to be reaped.
        pub is_zombie: bool,
    }

    fn signal(force: bool) -> Signal {
        if force { Signal::KILL } else { Signal::TERM }
    }

    #[cfg(target_os = "linux")]
    mod linux {
        use super::Descendant;
        use std::collections::HashMap;

        pub fn descendants(ancestor: u32) -> Vec<Descendant> {
            let mut children: HashMap<u32, Vec<Descendant>> = HashMap::new();
            for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
                let Some(pid) = entry
                    .file_name()
                    .to_str()
                    .and_then(|name| name.parse().ok())
                else {
                    continue;
                };
                // A process may end between the listing and the reading.
                let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else {
                    continue;
                };
                if let Some((parent, process)) = parse(pid, &stat) {
                    children.entry(parent).or_default().push(process);
                }
            }
            let mut found = Vec::new();
            let mut unseen = vec![ancestor];
            while let Some(parent) = unseen.pop() {
                for process in children.remove(&parent).unwrap_or_default() {
                    unseen.push(process.pid);
                    found.push(process);
                }
            }
            found
        }

        /// The fields after the command, which is in parentheses and may itself hold some: state,
        /// parent, and 21st the pages.
        fn parse(pid: u32, stat: &str) -> Option<(u32, Descendant)> {
            let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
            let pages: u64 = fields.get(21)?.parse().ok()?;
            let resident_bytes = pages * rustix::param::page_size() as u64;
            Some((
                fields.get(1)?.parse().ok()?,
                Descendant {
                    pid,
                    resident_bytes,
                    is_zombie: fields.first() == Some(&"Z"),
                },
            ))
        }
    }
}

#[cfg(windows)]
mod windows {
    // Job objects have no safe wrapper in the standard library; each call is wrapped once.
    #![allow(unsafe_code)]

    use std::{
        io, mem,
        os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle},
        path::Path,
        process::Child,
        ptr,
    };

    use windows_sys::Win32::System::JobObjects::{
        AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
        JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation,
        SetInformationJobObject, TerminateJobObject,
    };

    /// A process and all that it starts. The system ends them when the last handle of the job is
    /// closed, which it does when we end, however we end.
    pub struct ProcessJob(OwnedHandle);

    impl ProcessJob {
        pub fn of(child: &Child) -> io::Result<ProcessJob> {
            // SAFETY: without attributes and without a name.
            let handle = unsafe { CreateJobObjectW(ptr::null(), ptr::null()) };
            if handle.is_null() {
                return Err(io::Error::last_os_error());
            }
            // SAFETY: the handle is open, and nobody else has it.
            let job = ProcessJob(unsafe { OwnedHandle::from_raw_handle(handle) });
            let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
            limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
            // SAFETY: the pointer is to a local of the type that the class names.
            check(unsafe {
                SetInformationJobObject(
                    job.0.as_raw_handle(),
                    JobObjectExtendedLimitInformation,
                    (&raw const limits).cast(),
                    mem::size_of_val(&limits) as u32,
                )
            })?;
            // SAFETY: both handles are open.
            check(unsafe {
                AssignProcessToJobObject(job.0.as_raw_handle(), child.as_raw_handle())
            })?;
            Ok(job)
        }

        /// Ends every process of the job.
        pub fn end(&self) {
            // SAFETY: the handle is open.
            let _ = unsafe { TerminateJobObject(self.0.as_raw_handle(), 1) };
        }
    }

    /// Makes a file reachable under another path. Links need a right that few users have: a copy
    /// is as good until the server is started again.
    pub fn link_file(target: &Path, at: &Path) -> io::Result<()> {
        std::fs::copy(target, at).map(drop)
    }

    fn check(succeeded: i32) -> io::Result<()> {
        match succeeded {
            0 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }
}
