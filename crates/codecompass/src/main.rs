//! Starts the program: everything else is in the library.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> std::process::ExitCode {
    // A language server runs below this binary, started again: before anything else is done or
    // read.
    let arguments: Vec<_> = std::env::args_os().collect();
    if language_servers::is_guard_invocation(&arguments) {
        language_servers::guard_main(arguments);
    }
    codecompass::cli::main()
}
