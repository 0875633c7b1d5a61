//! Identifiers: opaque strings with a prefix that names their kind.
//!
//! The prefix and the alphabet are checked when one is made, so an id that
//! exists can go into a path, a header or a statement. Nothing else is read
//! out of them.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Why a text is not an identifier of the expected kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdError {
    prefix: &'static str,
}

impl fmt::Display for IdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}_ and 1 to 120 of A-Z a-z 0-9 _ -", self.prefix)
    }
}

impl std::error::Error for IdError {}

fn is_id(prefix: &str, text: &str) -> bool {
    text.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('_')).is_some_and(|tail| {
        (1..=120).contains(&tail.len())
            && tail.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
    })
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// What every id of this kind starts with, before the underscore.
            pub const PREFIX: &'static str = $prefix;

            /// The id as it stands on the wire.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, IdError> {
                if is_id($prefix, text) { Ok(Self(text.into())) } else { Err(IdError { prefix: $prefix }) }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
                utoipa::openapi::ObjectBuilder::new()
                    .schema_type(utoipa::openapi::schema::Type::String)
                    .pattern(Some(concat!("^", $prefix, "_[A-Za-z0-9_-]{1,120}$")))
                    .into()
            }
        }

        impl utoipa::ToSchema for $name {}
    };
}

id!(/// One conversation.
    SessionId, "ses");
id!(/// One message of the transcript.
    MessageId, "msg");
id!(/// One part of a message.
    PartId, "prt");
id!(/// One admitted piece of work.
    RunId, "run");
id!(/// One ACP prompt and its answer.
    TurnId, "trn");
id!(/// One project directory.
    ProjectId, "prj");
id!(/// One file a client handed over.
    UploadId, "upl");
id!(/// One Result: a thing that was made, with its versions.
    ArtifactId, "art");
id!(/// One version of a Result.
    VersionId, "ver");
id!(/// What binds the files of a turn to its message.
    ClaimId, "clm");
id!(/// One process that owns runs. Internal; never on the wire.
    OwnerId, "own");

/// One permission (`per_…`) or question (`que_…`) that waits for a person.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DecisionId(Arc<str>);

impl DecisionId {
    /// The id as it stands on the wire.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for DecisionId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, IdError> {
        if is_id("per", text) || is_id("que", text) {
            Ok(Self(text.into()))
        } else {
            Err(IdError { prefix: if text.starts_with("que") { "que" } else { "per" } })
        }
    }
}

impl fmt::Display for DecisionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for DecisionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl serde::Serialize for DecisionId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> serde::Deserialize<'de> for DecisionId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl utoipa::PartialSchema for DecisionId {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        utoipa::openapi::ObjectBuilder::new()
            .schema_type(utoipa::openapi::schema::Type::String)
            .pattern(Some("^(per|que)_[A-Za-z0-9_-]{1,120}$"))
            .into()
    }
}

impl utoipa::ToSchema for DecisionId {}

/// The configured name of an agent, such as `sim` or `codex`.
#[derive(
    Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize, utoipa::ToSchema,
)]
#[serde(transparent)]
#[schema(value_type = String)]
pub struct AgentId(pub Arc<str>);

impl AgentId {
    /// The name as configured.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for AgentId {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// True if `text` has the exact form a client may choose for a message id:
/// `^msg_[0-9a-fA-F]{12}[A-Za-z0-9]{14}$` (wire contract §3.1).
pub fn is_client_message_id(text: &str) -> bool {
    text.strip_prefix("msg_").is_some_and(|tail| {
        tail.len() == 26
            && tail.bytes().take(12).all(|b| b.is_ascii_hexdigit())
            && tail.bytes().skip(12).all(|b| b.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_has_its_prefix_its_alphabet_and_its_length() {
        let check = |text: &str, good: bool| assert_eq!(text.parse::<SessionId>().is_ok(), good, "{text}");
        check("ses_a", true);
        check(&format!("ses_{}", "a".repeat(120)), true);
        check(&format!("ses_{}", "a".repeat(121)), false);
        check("ses_", false);
        check("ses", false);
        check("run_a", false);
        check("ses_../../etc", false);
        check("ses_é", false);
    }

    #[test]
    fn a_client_message_id_has_twelve_hex_digits_and_fourteen_alphanumerics() {
        assert!(is_client_message_id("msg_0123456789abABCDEFGHIJKLMN"));
        assert!(!is_client_message_id("msg_0123456789abABCDEFGHIJKLM"));
        assert!(!is_client_message_id("msg_0123456789agABCDEFGHIJKLMN"));
        assert!(!is_client_message_id("msg_0123456789abABCDEFGHIJKLM_"));
    }
}
