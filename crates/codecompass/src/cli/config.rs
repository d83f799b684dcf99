//! `codecompass config`: each effective value and where it comes from.

use std::process::ExitCode;

use clap::Args;
use serde::Serialize;

use super::{Settings, session};
use super::{paint::Paint, session::DirectoryArg};

/// Show each setting, its value and where it comes from
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    place: DirectoryArg,
    /// Also what each setting does, and its environment variable
    #[arg(long)]
    about: bool,
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct SettingRow<'a> {
    value: &'a crate::config::Value,
    origin: String,
}

/// An object with its fields in the order of the settings.
struct InOrder<'a>(Vec<(String, SettingRow<'a>)>);

impl Serialize for InOrder<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, row)| (name, row)))
    }
}

pub fn run(arguments: Arguments, settings: &Settings) -> anyhow::Result<ExitCode> {
    let config = arguments.place.config(settings)?;
    if arguments.json {
        let entries = config.entries().map(|(key, value, origin)| {
            let origin = origin.to_string();
            (key.path(), SettingRow { value, origin })
        });
        session::print_json(&InOrder(entries.collect()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let paint = Paint::stdout();
    for (key, value, origin) in config.entries() {
        print_line!(
            "{} = {value}  {}",
            paint.name(&key.path()),
            paint.kind(&format!("# {origin}"))
        );
        if arguments.about {
            print_line!("    {}; {}", key.about, key.variable());
        }
    }
    Ok(ExitCode::SUCCESS)
}
