//! Which project a request is about: selectors of the query, else of the headers.
//!
//! Whether a directory exists and which project it belongs to is the
//! runtime's to say.

use std::borrow::Cow;
use std::iter;

use axum::extract::FromRequestParts;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Uri};
use openscience_protocol::ProjectId;
use openscience_runtime::request::{Selected, Selector};
use percent_encoding::percent_decode_str;
use utoipa::IntoParams;

use crate::App;
use crate::extract;
use crate::problem::{Issue, Problem};

const PROJECT_HEADER: &str = "x-openscience-project";
const DIRECTORY_HEADER: &str = "x-openscience-directory";

/// The selected project. Put it first among a handler's arguments: a request
/// about no project is not looked at further.
#[derive(Debug)]
pub(crate) struct Project(pub(crate) Selected);

impl FromRequestParts<App> for Project {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let selector = selector(&parts.uri, &parts.headers)?;
        Ok(Self(app.runtime.select(selector).await?))
    }
}

/// Selectors in the query, for the document only.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "read by `selector`, which also takes the headers")]
pub(crate) struct SelectorQuery {
    /// Absolute directory of the project; the daemon's own if nothing selects one.
    directory: Option<String>,
    /// Id of the project.
    #[param(value_type = Option<String>)]
    project: Option<ProjectId>,
    /// The same by its other name.
    #[param(rename = "projectID", value_type = Option<String>)]
    project_id: Option<ProjectId>,
}

/// Selectors in headers, for the document only.
#[derive(Debug, IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "read by `selector`, which also takes the query")]
pub(crate) struct SelectorHeaders {
    /// As `directory`, which wins; percent-encoded if it is not ASCII.
    #[param(rename = "x-openscience-directory")]
    directory: Option<String>,
    /// As `project`, which wins.
    #[param(rename = "x-openscience-project")]
    project: Option<String>,
}

fn selector(uri: &Uri, headers: &HeaderMap) -> Result<Selector, Problem> {
    let query = uri.query().unwrap_or_default();
    let asked = |name: &'static str| only(query, name);
    let (project_path, project) = match (asked("project")?, asked("projectID")?) {
        (Some(id), _) => ("project", Some(id)),
        (None, Some(id)) => ("projectID", Some(id)),
        (None, None) => (PROJECT_HEADER, sent(headers, PROJECT_HEADER)?),
    };
    let directory = match asked("directory")? {
        Some(directory) => Some(directory),
        None => sent(headers, DIRECTORY_HEADER)?,
    };
    let parse = |id: String| {
        let parsed = id.trim().parse::<ProjectId>();
        parsed.map_err(|error| Problem::invalid(vec![Issue::new(project_path, error.to_string())]))
    };
    Ok(Selector {
        project: project.map(parse).transpose()?,
        directories: directory.as_deref().map(candidates).unwrap_or_default(),
    })
}

/// The one value of a key; a blank one counts as absent.
fn only(query: &str, name: &'static str) -> Result<Option<String>, Problem> {
    let pairs = form_urlencoded::parse(query.as_bytes());
    let mut values = pairs.filter(|(key, _)| key == name).map(|(_, value)| value);
    let first = values.next();
    if values.next().is_some() {
        return Err(Problem::invalid(vec![Issue::new(name, "given more than once")]));
    }
    Ok(first.map(Cow::into_owned).filter(|text| is_filled(text)))
}

/// The one value of a header as text; a blank one counts as absent.
fn sent(headers: &HeaderMap, name: &str) -> Result<Option<String>, Problem> {
    let value = extract::only(headers, name).map_err(|issue| Problem::invalid(vec![issue]))?;
    Ok(value.map(text).filter(|text| is_filled(text)))
}

/// A header as text: UTF-8 if it is that, else each byte one character.
fn text(value: &HeaderValue) -> String {
    let bytes = value.as_bytes();
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().copied().map(char::from).collect(),
    }
}

fn is_filled(text: &str) -> bool {
    !text.trim().is_empty()
}

/// A directory as written, then percent-decoded once more, then both without the blanks around it:
/// clients encode where it is needed, and what the name of a directory may hold is kept by trying
/// the plain form first.
fn candidates(directory: &str) -> Vec<String> {
    let mut all = Vec::new();
    for written in [directory, directory.trim()] {
        let decoded = percent_decode_str(written).decode_utf8().map(String::from);
        for candidate in iter::once(written.to_owned()).chain(decoded.ok()) {
            if !all.contains(&candidate) {
                all.push(candidate);
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(uri: &str, headers: &[(&'static str, &[u8])]) -> Result<Selector, Problem> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_bytes(value).unwrap());
        }
        selector(&uri.parse().unwrap(), &map)
    }

    #[track_caller]
    fn check(uri: &str, headers: &[(&'static str, &[u8])], project: Option<&str>, directories: &[&str]) {
        let selector = selected(uri, headers).unwrap();
        assert_eq!(selector.project.as_ref().map(ProjectId::as_str), project, "{uri}");
        assert_eq!(selector.directories, directories, "{uri}");
    }

    #[test]
    fn nothing_selects_nothing() {
        check("/session", &[], None, &[]);
        check("/session?directory=&project=%20", &[("x-openscience-directory", b" ")], None, &[]);
    }

    #[test]
    fn the_query_beats_the_headers() {
        let headers = [
            ("x-openscience-directory", b"/header".as_slice()),
            ("x-openscience-project", b"prj_header".as_slice()),
        ];
        check("/session", &headers, Some("prj_header"), &["/header"]);
        check("/session?directory=/query&projectID=prj_b", &headers, Some("prj_b"), &["/query"]);
        check("/session?project=prj_a&projectID=prj_b", &headers, Some("prj_a"), &["/header"]);
    }

    #[test]
    fn a_directory_is_also_tried_decoded_once_more() {
        check("/s?directory=/a%20b", &[], None, &["/a b"]);
        check("/s?directory=/a%2541", &[], None, &["/a%41", "/aA"]);
        check("/s?directory=/a%25ff", &[], None, &["/a%ff"]);
        check("/s", &[("x-openscience-directory", b"/%C3%A9t%C3%A9")], None, &["/%C3%A9t%C3%A9", "/été"]);
    }

    #[test]
    fn a_header_may_hold_raw_utf8_or_latin1() {
        check("/s", &[("x-openscience-directory", "/été".as_bytes())], None, &["/été"]);
        check("/s", &[("x-openscience-directory", b"/\xe9t\xe9")], None, &["/été"]);
    }

    #[test]
    fn blanks_around_a_directory_are_left_out_only_where_it_is_not_found_with_them() {
        check("/s?directory=%20/a%20", &[], None, &[" /a ", "/a"]);
        check("/s?directory=/a%2541%20", &[], None, &["/a%41 ", "/aA ", "/a%41", "/aA"]);
        check("/s?projectID=%20prj_a%20", &[], Some("prj_a"), &[]);
    }

    #[test]
    fn a_repeated_selector_is_refused() {
        #[track_caller]
        fn refuses(uri: &str, header: &'static str, place: &str) {
            let headers = [(header, b"prj_a".as_slice()), (header, b"prj_a")];
            let problem = selected(uri, &headers).unwrap_err();
            assert_eq!(problem.to_json()["issues"][0]["path"], place);
        }
        refuses("/s?directory=/a&directory=/a", "x-other", "directory");
        refuses("/s", "x-openscience-directory", "x-openscience-directory");
        refuses("/s", "x-openscience-project", "x-openscience-project");
    }

    #[test]
    fn a_malformed_project_is_refused_by_the_name_it_came_under() {
        let path = |uri: &str, headers: &[(&'static str, &[u8])]| {
            selected(uri, headers).unwrap_err().to_json()["issues"][0]["path"].clone()
        };
        assert_eq!(path("/s?projectID=nope", &[]), "projectID");
        assert_eq!(path("/s", &[("x-openscience-project", b"nope")]), "x-openscience-project");
    }
}
