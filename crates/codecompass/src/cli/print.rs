//! Printing to standard output, which may be closed at any moment (`| head`).

/// `println!` that ends the program quietly when nobody reads any more.
macro_rules! print_line {
    ($($text:tt)*) => {
        $crate::cli::print::write(format_args!("{}\n", format_args!($($text)*)))
    };
}

/// `print!` that ends the program quietly when nobody reads any more.
macro_rules! print_text {
    ($($text:tt)*) => {
        $crate::cli::print::write(format_args!($($text)*))
    };
}

pub fn write(text: std::fmt::Arguments<'_>) {
    if let Err(error) = std::io::Write::write_fmt(&mut std::io::stdout(), text) {
        if error.kind() != std::io::ErrorKind::BrokenPipe {
            eprintln!("error: standard output: {error}");
            std::process::exit(i32::from(super::ERROR));
        }
        std::process::exit(0);
    }
}
