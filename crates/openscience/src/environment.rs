//! What does the environment of this process say? Read once, here; the rest of
//! the workspace gets values.
//!
//! Nothing is decided here: which of several sources of a setting wins is the
//! configuration's business.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

const AUTH_TOKEN: &str = "OPENSCIENCE_AUTH_TOKEN";
const READY_FORMAT: &str = "OPENSCIENCE_SERVER_READY_FORMAT";
const REGISTRY_URL: &str = "OPENSCIENCE_REGISTRY_URL";
const CORS_DOMAINS: &str = "OPENSCIENCE_CORS_DOMAINS";

/// Why a variable cannot be followed. Never repeats its value: it may be a secret.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EnvironmentError {
    #[error("the environment variable {name} is not valid UTF-8")]
    NoText { name: &'static str },
    #[error("the environment variable {name}: expected {expected}")]
    Value { name: &'static str, expected: &'static str },
}

/// The form of what programs may want to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    Text,
    Json,
}

/// The variables this program knows, and those it hands on.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Environment {
    /// Bearer token requests must carry; none means no check.
    pub(crate) auth_token: Option<String>,
    pub(crate) ready_format: Option<Format>,
    /// A configuration document.
    pub(crate) config_content: Option<String>,
    pub(crate) config_dir: Option<PathBuf>,
    pub(crate) data_dir: Option<PathBuf>,
    pub(crate) disable_project_config: bool,
    /// Where the registry of agents is.
    pub(crate) registry_url: Option<String>,
    /// Domains whose direct subdomains may call over https.
    pub(crate) cors_domains: Vec<String>,
    pub(crate) source_sha: Option<String>,
    pub(crate) source_worktree_hash: Option<String>,
    pub(crate) run_id: Option<String>,
    pub(crate) home: Option<PathBuf>,
    /// What every agent starts with.
    pub(crate) for_agents: Vec<(String, String)>,
}

impl fmt::Debug for Environment {
    /// Leaves out what may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Environment")
            .field("has_auth_token", &self.auth_token.is_some())
            .field("ready_format", &self.ready_format)
            .field("config_dir", &self.config_dir)
            .field("data_dir", &self.data_dir)
            .finish_non_exhaustive()
    }
}

impl Environment {
    /// Reads the environment of this process.
    pub(crate) fn read() -> Result<Self, EnvironmentError> {
        let mut environment = Self::from_variables(std::env::vars_os())?;
        if environment.home.is_none() {
            // A service manager may start us without HOME: the user database still knows it.
            environment.home = std::env::home_dir().filter(|home| home.is_absolute());
        }
        Ok(environment)
    }

    fn from_variables(
        variables: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<Self, EnvironmentError> {
        let mut environment = Self::default();
        let mut texts = Vec::new();
        for (name, value) in variables {
            let Some(name) = name.to_str() else { continue };
            match name {
                AUTH_TOKEN => environment.auth_token = text(AUTH_TOKEN, value)?.map(token).transpose()?,
                READY_FORMAT => {
                    let word = trimmed(READY_FORMAT, value)?;
                    environment.ready_format = word.map(|word| format(&word)).transpose()?;
                }
                "OPENSCIENCE_CONFIG_CONTENT" => {
                    environment.config_content = trimmed("OPENSCIENCE_CONFIG_CONTENT", value)?;
                }
                "OPENSCIENCE_CONFIG_DIR" => environment.config_dir = path(value),
                "OPENSCIENCE_DATA_DIR" => environment.data_dir = path(value),
                "OPENSCIENCE_DISABLE_PROJECT_CONFIG" => {
                    let value = trimmed("OPENSCIENCE_DISABLE_PROJECT_CONFIG", value)?;
                    environment.disable_project_config =
                        value.is_some_and(|value| value != "0" && !value.eq_ignore_ascii_case("false"));
                }
                REGISTRY_URL => {
                    let url = trimmed(REGISTRY_URL, value)?;
                    if url.as_deref().is_some_and(|url| !openscience_acp::catalog::is_safe_address(url)) {
                        let expected = "an address that starts with https://";
                        return Err(EnvironmentError::Value { name: REGISTRY_URL, expected });
                    }
                    environment.registry_url = url;
                }
                CORS_DOMAINS => {
                    let listed = trimmed(CORS_DOMAINS, value)?;
                    environment.cors_domains =
                        listed.map(|listed| domains(&listed)).transpose()?.unwrap_or_default();
                }
                "OPENSCIENCE_SOURCE_SHA" => {
                    environment.source_sha = trimmed("OPENSCIENCE_SOURCE_SHA", value)?;
                }
                "OPENSCIENCE_SOURCE_WORKTREE_HASH" => {
                    environment.source_worktree_hash = trimmed("OPENSCIENCE_SOURCE_WORKTREE_HASH", value)?;
                }
                "OPENSCIENCE_RUN_ID" => environment.run_id = trimmed("OPENSCIENCE_RUN_ID", value)?,
                name => {
                    if name == "HOME" {
                        environment.home = path(value.clone());
                    }
                    // Agents are started with text; a value that is none stays behind.
                    texts.extend(value.into_string().map(|value| (name.to_owned(), value)));
                }
            }
        }
        environment.for_agents = openscience_acp::allowed_environment(texts);
        environment.for_agents.sort();
        Ok(environment)
    }
}

/// The value as it is; an empty one counts as unset.
///
/// Fails instead of dropping what it cannot read: a token that silently did not count would open the daemon.
fn text(name: &'static str, value: OsString) -> Result<Option<String>, EnvironmentError> {
    let value = value.into_string().map_err(|_| EnvironmentError::NoText { name })?;
    Ok(Some(value).filter(|value| !value.is_empty()))
}

fn trimmed(name: &'static str, value: OsString) -> Result<Option<String>, EnvironmentError> {
    Ok(text(name, value)?.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty()))
}

fn path(value: OsString) -> Option<PathBuf> {
    Some(PathBuf::from(value)).filter(|path| !path.as_os_str().is_empty())
}

/// Clients do not send blanks around a token, and no header can carry a line break: nobody could call.
fn token(token: String) -> Result<String, EnvironmentError> {
    if token.trim() != token || token.contains(char::is_control) {
        let expected = "a token without blanks around it and without control characters";
        return Err(EnvironmentError::Value { name: AUTH_TOKEN, expected });
    }
    Ok(token)
}

fn format(word: &str) -> Result<Format, EnvironmentError> {
    <Format as clap::ValueEnum>::from_str(word, true)
        .map_err(|_| EnvironmentError::Value { name: READY_FORMAT, expected: "json or text" })
}

fn domains(listed: &str) -> Result<Vec<String>, EnvironmentError> {
    let listed = listed.split(',').map(str::trim).filter(|entry| !entry.is_empty());
    let domains = listed.map(|entry| {
        let is_domain = openscience_server::is_domain(entry.trim_matches('.'));
        is_domain.then(|| entry.to_owned())
    });
    let expected = "domains separated by commas, such as example.org";
    domains.collect::<Option<_>>().ok_or(EnvironmentError::Value { name: CORS_DOMAINS, expected })
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    fn read(variables: &[(&str, &str)]) -> Environment {
        Environment::from_variables(variables.iter().map(|(name, value)| (name.into(), value.into())))
            .unwrap()
    }

    #[test]
    fn an_empty_token_is_no_token() {
        assert_eq!(read(&[(AUTH_TOKEN, "")]).auth_token, None);
        assert_eq!(read(&[(AUTH_TOKEN, "a b")]).auth_token.as_deref(), Some("a b"));
    }

    #[test]
    fn a_value_that_could_have_no_effect_is_an_error_that_does_not_repeat_it() {
        #[track_caller]
        fn refuses(name: &str, value: &str) {
            let error = Environment::from_variables([(name.into(), value.into())]).unwrap_err().to_string();
            assert!(error.contains(name) && error.contains("expected"), "{error}");
            assert!(!error.contains(value), "{error}");
        }

        for token in [" secret", "secret ", "secret\n", "\tsecret", "sec\nret", "   "] {
            refuses(AUTH_TOKEN, token);
        }
        refuses(READY_FORMAT, "yaml");
        refuses(REGISTRY_URL, "http://registry.example/registry.json");
        refuses(CORS_DOMAINS, "example.com,*");
        refuses(CORS_DOMAINS, "https://example.com");
    }

    #[test]
    fn the_form_of_readiness_is_a_word_in_any_case() {
        let form = |word| read(&[(READY_FORMAT, word)]).ready_format;
        assert_eq!(form("json"), Some(Format::Json));
        assert_eq!(form(" TEXT "), Some(Format::Text));
        assert_eq!(form(""), None);
    }

    #[test]
    fn a_token_that_is_not_text_is_an_error_and_not_an_open_door() {
        let variables = [(AUTH_TOKEN.into(), OsString::from_vec(vec![0xff, b'x']))];
        assert_eq!(
            Environment::from_variables(variables).unwrap_err().to_string(),
            "the environment variable OPENSCIENCE_AUTH_TOKEN is not valid UTF-8"
        );
    }

    #[test]
    fn agents_get_what_the_list_names_and_never_the_token() {
        let environment = read(&[
            ("PATH", "/bin"),
            ("LC_ALL", "C.UTF-8"),
            ("XDG_CONFIG_HOME", "/c"),
            ("HTTPS_PROXY", "http://proxy"),
            ("https_proxy", "http://proxy"),
            (AUTH_TOKEN, "secret"),
            ("OPENSCIENCE_CONFIG_CONTENT", "{}"),
            ("SOME_API_KEY", "secret"),
        ]);
        let names: Vec<&str> = environment.for_agents.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["HTTPS_PROXY", "LC_ALL", "PATH", "XDG_CONFIG_HOME", "https_proxy"]);
        assert!(!format!("{environment:?}").contains("secret"));
    }

    #[test]
    fn names_of_the_build_are_trimmed_and_lists_are_split_at_commas() {
        let environment = read(&[
            ("OPENSCIENCE_SOURCE_SHA", " abc\n"),
            ("OPENSCIENCE_SOURCE_WORKTREE_HASH", "  "),
            (CORS_DOMAINS, ".example.org, ,example.com"),
        ]);
        assert_eq!(environment.source_sha.as_deref(), Some("abc"));
        assert_eq!(environment.source_worktree_hash, None);
        assert_eq!(environment.cors_domains, [".example.org", "example.com"]);
    }

    #[test]
    fn project_configuration_is_disabled_by_a_true_value_only() {
        for (value, disabled) in [("1", true), ("true", true), ("0", false), ("FALSE", false), ("", false)] {
            let environment = read(&[("OPENSCIENCE_DISABLE_PROJECT_CONFIG", value)]);
            assert_eq!(environment.disable_project_config, disabled, "{value:?}");
        }
    }
}
