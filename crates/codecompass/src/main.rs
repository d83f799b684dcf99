fn main() -> std::process::ExitCode {
    codecompass::cli::main()
}
