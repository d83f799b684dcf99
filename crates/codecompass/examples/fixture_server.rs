//! The server with the test tools: `fixture_server stdio|http PORT [--strict]`. For tests and
//! conformance runs.

#[path = "../tests/it/fixture.rs"]
mod fixture;

use codecompass::server::{
    auth::{Door, Tokens},
    headers::Allowed,
    http::{self, Http},
    log, stdio,
};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    log::init(0);
    log::tame_panics();
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let strict = arguments.iter().any(|argument| argument == "--strict");
    match arguments.first().map(String::as_str) {
        Some("stdio") => {
            stdio::serve(
                fixture::server(strict, "stdio"),
                std::io::stdin(),
                std::io::stdout(),
            )
            .await?
        }
        Some("http") => {
            let port = arguments.get(1).map_or(Ok(0), |port| port.parse())?;
            let listener = http::bind(([127, 0, 0, 1], port).into(), false).await?;
            let address = listener.local_addr()?;
            let tokens = Tokens::parse(&std::env::var("CODECOMPASS_HTTP_TOKEN")?)?;
            eprintln!("serving http://{address}/mcp");
            http::serve(
                Http::new(
                    fixture::server(strict, "http"),
                    Door::Fixed(tokens),
                    Allowed::at(address),
                ),
                listener,
            )
            .await?;
        }
        _ => anyhow::bail!("stdio or http PORT"),
    }
    std::process::exit(0)
}
