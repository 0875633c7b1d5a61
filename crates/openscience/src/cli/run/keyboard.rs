//! Lines that a person types, read only once there is something to answer.

use std::io::BufRead as _;

use tokio::sync::mpsc;

/// What is typed ahead is not read further than this.
const LINES_WAITING: usize = 1;

/// The terminal's input. Reading it cannot be interrupted, so it has a thread of its own, which ends with the process.
#[derive(Debug, Default)]
pub(super) struct Keyboard(Option<mpsc::Receiver<String>>);

impl Keyboard {
    /// The next line; none if nobody can type any more.
    pub(super) async fn line(&mut self) -> Option<String> {
        self.0.get_or_insert_with(listen).recv().await
    }
}

fn listen() -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel(LINES_WAITING);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}
