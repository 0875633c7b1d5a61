//! Is somebody logged in to Copilot? Told by the text of its own configuration.
//!
//! It offers a login at a terminal whether or not one is needed; once somebody is logged in, the agent does the rest
//! alone. Where the file is read is not known here.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{AuthKind, AuthMethod};

pub(super) const ID: &str = "github-copilot-cli";
const METHOD: &str = "copilot-login";

/// Its configuration: in the directory that its login is given, else in the home directory.
pub(super) fn login_file(methods: &[AuthMethod], home: &Path) -> Option<PathBuf> {
    let method = methods.iter().find(|method| method.id == METHOD)?;
    let AuthKind::Terminal(login) = &method.kind else { return None };
    let mut args = login.args.iter();
    let given = args.by_ref().find_map(|arg| match arg.strip_prefix("--config-dir") {
        Some("") => Some(None),
        Some(rest) => rest.strip_prefix('=').map(Some),
        None => None,
    });
    let folder = match given {
        Some(Some(folder)) => home.join(folder),
        Some(None) => home.join(args.next()?),
        None => home.join(".copilot"),
    };
    Some(folder.join("config.json"))
}

/// Makes the login one that needs nobody, if the configuration tells of somebody.
pub(super) fn note_login(methods: &mut [AuthMethod], config: &str) {
    if is_logged_in(config) {
        for method in methods.iter_mut().filter(|method| method.id == METHOD) {
            method.kind = AuthKind::Agent;
        }
    }
}

fn is_logged_in(config: &str) -> bool {
    // It writes comments above its JSON.
    let lines = config.lines().filter(|line| !line.trim_start().starts_with("//"));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    let Ok(config) = serde_json::from_str::<Value>(&text) else { return false };
    let named = |user: &Value| {
        let login = user.get("login").unwrap_or(user);
        login.as_str().is_some_and(|login| !login.trim().is_empty())
    };
    match config.get("loggedInUsers").and_then(Value::as_array) {
        Some(users) if users.iter().any(named) => true,
        Some(_) | None => config.get("lastLoggedInUser").is_some_and(named),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::profile::Profile;

    fn methods(args: &Value) -> Vec<AuthMethod> {
        let told = json!([{
            "id": "copilot-login", "name": "Log in",
            "_meta": {"terminal-auth": {"command": "copilot", "args": args, "label": "Log in"}},
        }]);
        Profile::of("copilot").auth_methods(&told, ("copilot", &[]))
    }

    #[test]
    fn the_configuration_is_where_the_login_writes_it() {
        let file = |args: Value| Profile::of("copilot").login_file(&methods(&args), Path::new("/users/u"));
        assert_eq!(file(json!(["login"])), Some("/users/u/.copilot/config.json".into()));
        assert_eq!(file(json!(["--config-dir", "/c", "login"])), Some("/c/config.json".into()));
        assert_eq!(file(json!(["login", "--config-dir=/c"])), Some("/c/config.json".into()));
        assert_eq!(file(json!(["--config-dir"])), None);
        assert_eq!(Profile::of("gemini").login_file(&methods(&json!([])), Path::new("/users/u")), None);
        assert_eq!(Profile::of("copilot").login_file(&[], Path::new("/users/u")), None);
    }

    #[test]
    fn a_login_at_a_terminal_is_wanted_only_while_nobody_is_logged_in() {
        let check = |config: &str, alone: bool| {
            let mut methods = methods(&json!(["login"]));
            Profile::of("copilot").note_login(&mut methods, config);
            assert_eq!(methods[0].kind == AuthKind::Agent, alone, "{config}");
        };
        check(
            "// made by copilot\n  // x\n{\"loggedInUsers\": [{\"host\": \"h\", \"login\": \"me\"}]}\n",
            true,
        );
        check(r#"{"loggedInUsers": [{"login": ""}, {"login": "me"}]}"#, true);
        check(r#"{"lastLoggedInUser": {"host": "h", "login": "me"}}"#, true);
        check(r#"{"loggedInUsers": [], "lastLoggedInUser": "me"}"#, true);
        check(r#"{"loggedInUsers": [{"login": " "}], "lastLoggedInUser": null}"#, false);
        check(r#"{"loggedInUsers": "me"}"#, false);
        check("half a {", false);
        check("", false);
    }
}
