//! How do tests wait? On conditions, never on the clock alone, and never for ever.

use std::time::{Duration, Instant};

/// Long enough for a busy two-core machine; only a broken daemon needs it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Asks again and again until there is an answer; panics naming `what` after `limit`.
pub(crate) async fn within<T>(limit: Duration, what: &str, mut probe: impl AsyncFnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = probe().await {
            return found;
        }
        assert!(begin.elapsed() < limit, "not within {limit:?}: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// [`within`] the usual patience.
pub(crate) async fn eventually<T>(what: &str, probe: impl AsyncFnMut() -> Option<T>) -> T {
    within(PATIENCE, what, probe).await
}
