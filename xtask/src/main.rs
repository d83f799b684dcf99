//! What one types besides cargo's own commands: `cargo xtask COMMAND`.

mod accuracy;
mod breaks;
mod checkout;
mod compare;
mod dead_code;
mod house;
mod loc;
mod mutations;
mod package;
mod sources;
mod test_coverage;
mod tests_to_run;

use std::path::PathBuf;

use anyhow::bail;

const USAGE: &str = "\
usage: cargo xtask accuracy TRUTH SOURCES [MISSES]
         asks the questions of the truth files (a file or a directory) of the repositories checked
         out below SOURCES as owner__name, and prints precision and recall by language and by rule;
         writes each wrong and each missing answer to MISSES, one a line
       cargo xtask breaks quiet|broken|report ...
         holds what `codecompass check` would say against histories and compilers
       cargo xtask compare PATH...
         indexes each git repository with codecompass (release), universal-ctags, ripgrep and
         codegraph, as far as they are installed, and prints the CPU time of each
       cargo xtask dead-code CHECKOUT COMMAND RESULTS
         deletes what `codecompass dead` proves in a clone, runs the command there, and appends
         whether it passed; CODECOMPASS names the binary
       cargo xtask seeded-dead CHECKOUT N RESULTS
         adds dead functions to a clone and appends how many of them are proven
       cargo xtask test-coverage python|go|javascript CHECKOUT OUT
         writes which test executes which function, as coverage tools measure it
       cargo xtask tests-to-run COVERAGE CHECKOUT RESULTS
         compares `codecompass tests` with such a file, function by function; EACH_TEST=1 writes
         every listed test
       cargo xtask mutations COVERAGE CHECKOUT RESULTS N
         breaks functions of such a file in the checkout one at a time, runs the tests that execute
         them, and looks for those that fail among the listed ones, until N were noticed
       cargo xtask house [ROOT]
         prints the figures that the house rules limit
       cargo xtask loc [ROOT]
         counts lines of code without tests, comments and blank lines
       cargo xtask package [OPTIONS]
         packs a release build for installation; --help lists the options";

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next();
    if command.as_deref() == Some("package") {
        return package::run(arguments);
    }
    if command.as_deref() == Some("breaks") {
        return breaks::run(&arguments.collect::<Vec<_>>());
    }
    let paths: Vec<PathBuf> = arguments.map(PathBuf::from).collect();
    let root = || paths.first().cloned().unwrap_or_else(sources::root);
    match command.as_deref() {
        Some("accuracy") if matches!(paths.len(), 2 | 3) => {
            accuracy::run(&paths[0], &paths[1], paths.get(2).map(PathBuf::as_path))
        }
        Some("compare") if !paths.is_empty() => {
            paths.iter().try_for_each(|path| compare::run(path))
        }
        Some("dead-code") if paths.len() == 3 => {
            dead_code::delete(&paths[0], &paths[1].to_string_lossy(), &paths[2])
        }
        Some("seeded-dead") if paths.len() == 3 => {
            let n = paths[1].to_string_lossy().parse()?;
            dead_code::seed(&paths[0], n, &paths[2])
        }
        Some("test-coverage") if paths.len() == 3 => {
            test_coverage::run(&paths[0].to_string_lossy(), &paths[1], &paths[2])
        }
        Some("tests-to-run") if paths.len() == 3 => {
            tests_to_run::run(&paths[0], &paths[1], &paths[2])
        }
        Some("mutations") if paths.len() == 4 => {
            let n = paths[3].to_string_lossy().parse()?;
            mutations::run(&paths[0], &paths[1], &paths[2], n)
        }
        Some("house") if paths.len() <= 1 => house::run(&root()),
        Some("loc") if paths.len() <= 1 => loc::run(&root()),
        _ => bail!(USAGE),
    }
}
