//! Which command was asked for, and how does a wrong one end?

mod agent;
mod completions;
mod doctor;
mod exec_child;
mod mcp;
mod openapi;
mod run;
mod serve;
mod session;

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Parser};

use crate::output;
use crate::telemetry::Level;

const EXAMPLES: &str = "\
Examples:
  openscience run \"What does this project do?\"   one prompt, then exit
  openscience serve                               HTTP and SSE on localhost
  openscience doctor                              which agents work, and why others do not
  openscience session list                        what was said in this directory";

/// Turns any ACP agent into a durable, resumable, scriptable service on localhost.
#[derive(Debug, Parser)]
#[command(
    name = "openscience",
    // Ours prints the version alone, for programs.
    disable_version_flag = true,
    disable_help_subcommand = true,
    arg_required_else_help = true,
    after_help = EXAMPLES
)]
struct Cli {
    /// Print the version and nothing else
    #[arg(short = 'V', long, global = true)]
    version: bool,
    #[command(flatten)]
    logging: Logging,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Where log lines go.
#[derive(Debug, Clone, Copy, clap::Args)]
struct Logging {
    /// How much is logged
    #[arg(long, global = true, value_name = "LEVEL", default_value = "INFO", ignore_case = true)]
    log_level: Level,
    /// Log to standard error instead of logs/openscience.log in the data directory
    #[arg(long, global = true)]
    print_logs: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Serve(serve::Args),
    Doctor(doctor::Args),
    Run(Box<run::Args>),
    Session(session::Args),
    Agent(agent::Args),
    #[command(hide = true)]
    Mcp(mcp::Args),
    Openapi(openapi::Args),
    Completions(completions::Args),
}

/// Runs the command the arguments ask for; the first is the program's own name.
pub(crate) fn run(arguments: Vec<OsString>) -> ExitCode {
    // Not a command of people: its arguments are those of another program.
    if arguments.get(1).is_some_and(|command| command == "exec-child") {
        return exec_child::run(arguments.into_iter().skip(2));
    }
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => return refuse(&error, &arguments),
    };
    if cli.version {
        return exit_code(output::answer(concat!(env!("CARGO_PKG_VERSION"), "\n")));
    }
    match cli.command {
        Some(Command::Serve(args)) => serve::run(&args, cli.logging),
        Some(Command::Run(args)) => run::run(&args, cli.logging),
        Some(Command::Doctor(args)) => doctor::run(&args, cli.logging),
        Some(Command::Session(args)) => session::run(&args, cli.logging),
        Some(Command::Agent(args)) => agent::run(args),
        Some(Command::Mcp(args)) => mcp::run(args),
        Some(Command::Completions(args)) => completions::run(&args, Cli::command()),
        Some(Command::Openapi(openapi::Args {})) => openapi::run(),
        None => {
            output::complain(&Cli::command().render_help().to_string());
            ExitCode::FAILURE
        }
    }
}

/// A name that no other process has, with this process's id in it.
fn random_name() -> std::io::Result<String> {
    let mut bytes = [0; 16];
    #[expect(
        clippy::disallowed_methods,
        reason = "names this process and decides nothing; the runtime is not there yet"
    )]
    getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(format!("{}-{:032x}", std::process::id(), u128::from_be_bytes(bytes)))
}

/// Success if what was asked for could be written.
fn exit_code(written: std::io::Result<()>) -> ExitCode {
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::notice(format_args!("could not write to standard output: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Answers a request for help, or says what is wrong and shows the help of the command that was meant.
fn refuse(error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    let text = error.render().to_string();
    if error.kind() == ErrorKind::DisplayHelp {
        return exit_code(output::answer(&text));
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        output::complain(&text);
        return ExitCode::FAILURE;
    }
    if arguments.get(1).is_some_and(|command| command == "serve") && serve::report_usage(&text, arguments) {
        return ExitCode::FAILURE;
    }
    let mut meant = meant(arguments);
    // The usage it ends with stands in the help as well.
    let wrong = text.split("\nUsage:").next().unwrap_or(&text);
    if meant.get_name() == "run" {
        // Who runs it in a script wants the one line that says what is wrong.
        output::complain(&format!("{wrong}\nFor more information, try 'openscience run --help'.\n"));
        return ExitCode::from(run::USAGE);
    }
    output::complain(&format!("{wrong}\n{}", meant.render_help()));
    ExitCode::FAILURE
}

/// The command that the arguments name, as deep as they can be followed.
fn meant(arguments: &[OsString]) -> clap::Command {
    let mut command = Cli::command();
    command.build();
    for argument in arguments.iter().skip(1).map(OsString::as_os_str).filter_map(OsStr::to_str) {
        let Some(inner) = command.find_subcommand(argument) else { break };
        command = inner.clone();
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &str) -> Result<Cli, ErrorKind> {
        Cli::try_parse_from(arguments.split(' ')).map_err(|error| error.kind())
    }

    #[test]
    fn the_definition_of_all_commands_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn logging_flags_may_stand_before_and_after_the_command() {
        for arguments in
            ["openscience --log-level DEBUG serve", "openscience serve --port 0 --log-level debug"]
        {
            assert_eq!(parse(arguments).unwrap().logging.log_level, Level::Debug, "{arguments}");
        }
    }

    #[test]
    fn an_unknown_flag_and_a_port_that_is_none_are_refused() {
        assert_eq!(parse("openscience serve --nope").unwrap_err(), ErrorKind::UnknownArgument);
        assert_eq!(parse("openscience serve --port 65536").unwrap_err(), ErrorKind::ValueValidation);
        assert_eq!(parse("openscience serve --format xml").unwrap_err(), ErrorKind::InvalidValue);
        for origin in ["*", "nonsense", "notebook.example", "ftp://a", "http://a/b"] {
            let arguments = format!("openscience serve --cors {origin}");
            assert_eq!(parse(&arguments).unwrap_err(), ErrorKind::ValueValidation, "{origin}");
        }
        assert!(parse("openscience serve --cors http://a:1 --cors https://b.example/").is_ok());
        assert_eq!(parse("openscience serve extra").unwrap_err(), ErrorKind::UnknownArgument);
    }

    #[test]
    fn the_help_shown_is_that_of_the_command_that_was_meant() {
        let name = |arguments: &str| {
            let arguments: Vec<OsString> = arguments.split(' ').map(OsString::from).collect();
            meant(&arguments).get_name().to_owned()
        };
        assert_eq!(name("openscience serve --nope"), "serve");
        assert_eq!(name("openscience agent sim --nope"), "sim");
        assert_eq!(name("openscience nope"), "openscience");
    }
}
