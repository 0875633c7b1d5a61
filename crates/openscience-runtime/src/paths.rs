//! Do paths lead where they say?

use std::path::Path;

/// True if no link is on the way of any of them, as far as they exist.
pub(crate) async fn are_real(paths: &[String]) -> bool {
    for path in paths {
        if !is_real(Path::new(path)).await {
            return false;
        }
    }
    true
}

async fn is_real(path: &Path) -> bool {
    for existing in path.ancestors() {
        match tokio::fs::canonicalize(existing).await {
            Ok(real) => return real == existing,
            // A link to nothing is not nothing.
            Err(_) if tokio::fs::symlink_metadata(existing).await.is_ok() => return false,
            Err(_) => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_link_anywhere_on_the_way_is_noticed() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("dir")).unwrap();
        std::os::unix::fs::symlink(root.join("dir"), root.join("link")).unwrap();
        std::os::unix::fs::symlink(root.join("nothing"), root.join("dangling")).unwrap();
        for (path, real) in [
            ("dir", true),
            ("dir/to/come", true),
            ("link", false),
            ("link/to/come", false),
            ("dangling", false),
        ] {
            let path = root.join(path).display().to_string();
            assert_eq!(are_real(std::slice::from_ref(&path)).await, real, "{path}");
        }
        assert!(!are_real(&["relative".to_owned()]).await);
    }
}
