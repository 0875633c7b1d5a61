use super::*;

fn guarded(token: Option<&str>) -> Guard {
    Guard::new(&ServerConfig {
        token: token.map(str::to_owned),
        cors_origins: vec!["https://notebook.example/".to_owned()],
        cors_domains: vec!["apps.example".to_owned()],
        hosts: vec!["Daemon.internal:8080".to_owned()],
        version: "1.2.3".to_owned(),
        source_sha: None,
        source_worktree_hash: None,
        run_id: "local".to_owned(),
    })
}

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in pairs {
        map.append(*name, value.parse().unwrap());
    }
    map
}

fn code(result: Result<(), Problem>) -> String {
    match result {
        Ok(()) => "passes".to_owned(),
        Err(problem) => problem.to_json()["code"].as_str().unwrap().to_owned(),
    }
}

#[test]
fn only_loopback_and_configured_hosts_are_served() {
    #[track_caller]
    fn check(host: &str, expected: &str) {
        let uri = Uri::from_static("/session");
        let result = guarded(None).check(&Method::GET, &uri, &headers(&[("host", host)]));
        assert_eq!(code(result), expected, "{host}");
    }

    check("localhost", "passes");
    check("LOCALHOST:4096", "passes");
    check("127.0.0.1:4096", "passes");
    check("[::1]", "passes");
    check("[::1]:4096", "passes");
    check("daemon.internal:9", "passes");
    check("evil.example", "forbidden_host");
    check("localhost.evil.example", "forbidden_host");
    check("localhost:4096@evil.example", "forbidden_host");
    check("::1", "forbidden_host");
    check("127.0.0.1.", "forbidden_host");
    check("", "forbidden_host");
    check(":4096", "forbidden_host");
}

#[test]
fn a_missing_or_second_host_is_refused() {
    let uri = Uri::from_static("/session");
    let check =
        |pairs: &[(&'static str, &str)]| code(guarded(None).check(&Method::GET, &uri, &headers(pairs)));
    assert_eq!(check(&[]), "forbidden_host");
    assert_eq!(check(&[("host", "localhost"), ("host", "localhost")]), "forbidden_host");
}

#[test]
fn a_host_in_the_request_line_counts_too() {
    let uri = Uri::from_static("http://evil.example/session");
    let result = guarded(None).check(&Method::GET, &uri, &headers(&[("host", "localhost")]));
    assert_eq!(code(result), "forbidden_host");
}

#[test]
fn only_local_and_configured_origins_are_allowed() {
    #[track_caller]
    fn check(origin: &str, expected: &str) {
        let uri = Uri::from_static("/session");
        let headers = headers(&[("host", "localhost"), ("origin", origin)]);
        assert_eq!(code(guarded(None).check(&Method::GET, &uri, &headers)), expected, "{origin}");
    }

    check("http://localhost", "passes");
    check("http://localhost:5173", "passes");
    check("http://127.0.0.1:5173", "passes");
    check("tauri://localhost", "passes");
    check("http://tauri.localhost", "passes");
    check("https://notebook.example", "passes");
    check("https://lab.apps.example", "passes");
    check("https://apps.example", "forbidden_origin");
    check("https://a.b.apps.example", "forbidden_origin");
    check("https://evilapps.example", "forbidden_origin");
    check("http://lab.apps.example", "forbidden_origin");
    check("https://lab.apps.example:8443", "forbidden_origin");
    check("https://localhost", "forbidden_origin");
    check("http://localhost.evil.example", "forbidden_origin");
    check("http://localhost:80@evil.example", "forbidden_origin");
    check("null", "forbidden_origin");
}

#[test]
fn without_an_origin_only_a_cross_site_fetch_is_refused() {
    let uri = Uri::from_static("/session");
    let check = |site: &str| {
        let headers = headers(&[("host", "localhost"), ("sec-fetch-site", site)]);
        code(guarded(None).check(&Method::GET, &uri, &headers))
    };
    assert_eq!(check("cross-site"), "forbidden_origin");
    assert_eq!(check("same-site"), "passes");
    assert_eq!(check("none"), "passes");
    let twice = [("host", "localhost"), ("sec-fetch-site", "none"), ("sec-fetch-site", "cross-site")];
    assert_eq!(code(guarded(None).check(&Method::GET, &uri, &headers(&twice))), "forbidden_origin");
}

#[test]
fn a_token_is_compared_exactly_and_its_scheme_in_any_case() {
    #[track_caller]
    fn check(value: &str, expected: &str) {
        let uri = Uri::from_static("/runtime/capabilities");
        let headers = headers(&[("host", "localhost"), ("authorization", value)]);
        assert_eq!(code(guarded(Some("Secret")).check(&Method::GET, &uri, &headers)), expected, "{value}");
    }

    check("Bearer Secret", "passes");
    check("bEARER Secret", "passes");
    check("Bearer secret", "unauthorized");
    check("Bearer Secret2", "unauthorized");
    check("Bearer Secre", "unauthorized");
    check("Bearer  Secret", "unauthorized");
    check("Bearer ", "unauthorized");
    check("Bearer", "unauthorized");
    check("Basic Secret", "unauthorized");
    check("Secret", "unauthorized");
}

#[test]
fn a_second_token_counts_as_none() {
    let uri = Uri::from_static("/session");
    let twice =
        [("host", "localhost"), ("authorization", "Bearer Secret"), ("authorization", "Bearer Secret")];
    assert_eq!(code(guarded(Some("Secret")).check(&Method::GET, &uri, &headers(&twice))), "unauthorized");
}

#[test]
fn a_refused_token_asks_for_a_bearer() {
    let uri = Uri::from_static("/session");
    let problem =
        guarded(Some("s")).check(&Method::GET, &uri, &headers(&[("host", "localhost")])).unwrap_err();
    assert_eq!(problem.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(problem.to_json()["error"], "Unauthorized");
    assert_eq!(problem.headers()[header::WWW_AUTHENTICATE], "Bearer realm=\"openscience\"");
}

#[test]
fn an_empty_token_means_no_token() {
    let uri = Uri::from_static("/session");
    let result = guarded(Some("")).check(&Method::GET, &uri, &headers(&[("host", "localhost")]));
    assert_eq!(code(result), "passes");
}

#[test]
fn health_and_real_preflights_need_no_token() {
    #[track_caller]
    fn check(method: &Method, path: &'static str, more: &[(&'static str, &str)], expected: &str) {
        let mut all = vec![("host", "localhost")];
        all.extend_from_slice(more);
        let result = guarded(Some("s")).check(method, &Uri::from_static(path), &headers(&all));
        assert_eq!(code(result), expected, "{method} {path}");
    }
    let origin = ("origin", "http://localhost");
    let asked = ("access-control-request-method", "POST");

    check(&Method::GET, "/global/health", &[], "passes");
    check(&Method::GET, "/global/health/", &[], "passes");
    check(&Method::POST, "/global/health", &[], "passes");
    check(&Method::GET, "/global/healthy", &[], "unauthorized");
    check(&Method::GET, "/runtime/capabilities", &[], "unauthorized");
    check(&Method::OPTIONS, "/session", &[origin, asked], "passes");
    check(&Method::OPTIONS, "/session", &[asked], "unauthorized");
    check(&Method::OPTIONS, "/session", &[origin], "unauthorized");
}

#[test]
fn the_guards_answer_in_their_order() {
    let guard = guarded(Some("s"));
    let uri = Uri::from_static("/session");
    let check = |pairs: &[(&'static str, &str)]| code(guard.check(&Method::GET, &uri, &headers(pairs)));
    let (good_host, bad_host) = (("host", "localhost"), ("host", "evil.example"));
    let bad_origin = ("origin", "https://evil.example");

    assert_eq!(check(&[bad_host, bad_origin]), "forbidden_host");
    assert_eq!(check(&[good_host, bad_origin]), "forbidden_origin");
    assert_eq!(check(&[good_host]), "unauthorized");
}

#[test]
fn one_slash_at_the_end_is_not_part_of_a_path() {
    assert_eq!(trimmed("/session/"), "/session");
    assert_eq!(trimmed("/session"), "/session");
    assert_eq!(trimmed("/session//"), "/session/");
    assert_eq!(trimmed("/"), "/");
}
