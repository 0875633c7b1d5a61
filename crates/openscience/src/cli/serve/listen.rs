//! Which port does the daemon answer on?
//!
//! A port is held early and answers late: bound before the data directory is
//! touched, so that a taken one fails at once, and listening only when the
//! daemon is ready, so that nobody is kept waiting by it.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::{TcpListener, TcpSocket};

/// Tried in this order when no port was asked for; then the system chooses.
const FAVOURITES: [u16; 2] = [4096, 4097];
/// Connections that may wait to be accepted.
const BACKLOG: u32 = 1_024;

/// Why there is no port to answer on.
#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum ListenError {
    #[error("port {port} is in use: choose another with --port, or 0 for any free one")]
    Taken { port: u16 },
    #[error("port {port} cannot be used")]
    Refused { port: u16, source: io::Error },
}

/// A port that is ours, or the intention to find one.
#[derive(Debug)]
pub(in crate::cli) enum Reservation {
    Held { socket: TcpSocket, port: u16 },
    Any(Ipv4Addr),
}

impl Reservation {
    /// Holds the port if it is a certain one; 0 is any.
    pub(in crate::cli) fn new(address: Ipv4Addr, port: u16) -> Result<Self, ListenError> {
        if port == 0 {
            return Ok(Self::Any(address));
        }
        Ok(Self::Held { socket: bind(address, port)?, port })
    }

    /// Starts to answer.
    pub(in crate::cli) fn listen(self) -> Result<TcpListener, ListenError> {
        match self {
            Self::Held { socket, port } => socket.listen(BACKLOG).map_err(|source| explain(port, source)),
            Self::Any(address) => {
                let favourite = FAVOURITES.into_iter().find_map(|port| try_listen(address, port).ok());
                favourite.map_or_else(|| try_listen(address, 0), Ok)
            }
        }
    }
}

fn try_listen(address: Ipv4Addr, port: u16) -> Result<TcpListener, ListenError> {
    bind(address, port)?.listen(BACKLOG).map_err(|source| explain(port, source))
}

fn bind(address: Ipv4Addr, port: u16) -> Result<TcpSocket, ListenError> {
    let bound = TcpSocket::new_v4().and_then(|socket| {
        // A port whose last connections linger is free all the same.
        socket.set_reuseaddr(true)?;
        socket.bind(SocketAddr::from((address, port)))?;
        Ok(socket)
    });
    bound.map_err(|source| explain(port, source))
}

fn explain(port: u16, source: io::Error) -> ListenError {
    if source.kind() == io::ErrorKind::AddrInUse {
        ListenError::Taken { port }
    } else {
        ListenError::Refused { port, source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOPBACK: Ipv4Addr = Ipv4Addr::LOCALHOST;

    #[tokio::test]
    async fn a_taken_port_is_told_before_anything_else_happens() {
        let taken = std::net::TcpListener::bind((LOOPBACK, 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        let error = Reservation::new(LOOPBACK, port).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("port {port} is in use: choose another with --port, or 0 for any free one")
        );
    }

    #[tokio::test]
    async fn a_held_port_does_not_answer_until_it_listens() {
        let socket = bind(LOOPBACK, 0).unwrap();
        let port = socket.local_addr().unwrap().port();
        let held = Reservation::Held { socket, port };
        let refused = tokio::net::TcpStream::connect((LOOPBACK, port)).await.unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
        let listener = held.listen().unwrap();
        assert_eq!(listener.local_addr().unwrap().port(), port);
        tokio::net::TcpStream::connect((LOOPBACK, port)).await.unwrap();
    }

    #[tokio::test]
    async fn without_a_port_there_is_always_one() {
        let listeners = [(); 4].map(|()| Reservation::new(LOOPBACK, 0).unwrap().listen().unwrap());
        let mut ports: Vec<u16> = listeners.iter().map(|l| l.local_addr().unwrap().port()).collect();
        ports.sort_unstable();
        ports.dedup();
        assert_eq!(ports.len(), 4);
    }
}
