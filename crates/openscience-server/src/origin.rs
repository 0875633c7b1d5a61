//! Which texts name a web origin, a host or a domain that some request could
//! come from? A setting that names none never has an effect: whoever reads
//! settings asks here first.

/// True for the origin of a web page, such as `https://notebook.example:8443`.
pub fn is_origin(text: &str) -> bool {
    canonical(text).is_some()
}

/// True for a Host name, with a port or not.
pub fn is_host(text: &str) -> bool {
    let name = match text.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => is_port(port).then_some(name),
        Some(_) | None => Some(text),
    };
    name.is_some_and(|name| is_domain(name) || is_address(name))
}

/// True for a name of labels with points between them.
pub fn is_domain(text: &str) -> bool {
    text.split('.').all(|label| {
        !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    })
}

/// An IPv6 address in brackets.
fn is_address(text: &str) -> bool {
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner.is_some_and(|inner| inner.parse::<std::net::Ipv6Addr>().is_ok())
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit()) && text.parse::<u16>().is_ok_and(|port| port != 0)
}

/// An origin as browsers send it: lower case, without a usual port and without a slash at its end.
pub(crate) fn canonical(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches('/').to_ascii_lowercase();
    let (host, usual) = match (text.strip_prefix("https://"), text.strip_prefix("http://")) {
        (Some(host), _) => (host, ":443"),
        (None, Some(host)) => (host, ":80"),
        (None, None) => return None,
    };
    is_host(host).then(|| text.strip_suffix(usual).unwrap_or(&text).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_a_scheme_and_a_host_as_browsers_send_them() {
        #[track_caller]
        fn check(text: &str, expected: Option<&str>) {
            assert_eq!(canonical(text).as_deref(), expected, "{text}");
        }

        check("https://notebook.example", Some("https://notebook.example"));
        check(" HTTPS://Notebook.Example:8443/ ", Some("https://notebook.example:8443"));
        check("https://a.example:443", Some("https://a.example"));
        check("http://a.example:443", Some("http://a.example:443"));
        check("http://127.0.0.1:80", Some("http://127.0.0.1"));
        check("http://[::1]:5173", Some("http://[::1]:5173"));
        for text in
            ["", "*", "nonsense", "null", "notebook.example", "ftp://a", "https://", "https://*.example"]
        {
            check(text, None);
        }
        for text in
            ["http://a/b", "http://a?b", "http://u@a", "http://a:0", "http://a:x", "http://a b", "http://[x]"]
        {
            check(text, None);
        }
    }

    #[test]
    fn a_host_may_have_a_port_and_a_domain_has_none() {
        assert!(is_host("daemon.internal:8080") && is_host("[::1]:80") && is_host("my_host"));
        assert!(!is_host("*") && !is_host("http://a") && !is_host("a:") && !is_host(""));
        assert!(is_domain("apps.example") && !is_domain("https://apps.example") && !is_domain("a..b"));
    }
}
