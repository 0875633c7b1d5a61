//! How is a socket reached whose path is longer than an address may be?
//!
//! An address holds about a hundred bytes; a data directory may lie deeper. Linux names an open folder by its
//! number, which is short whatever the folder is called.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::path::Path;

/// Shorter than any system's address.
const PATH_BYTES_MAX: usize = 100;

/// Calls with a path of the socket that fits an address. It holds only during the call.
pub fn at_short_path<T>(socket: &Path, call: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    if socket.as_os_str().len() <= PATH_BYTES_MAX {
        return call(socket);
    }
    let (Some(folder), Some(name)) = (socket.parent(), socket.file_name()) else {
        return Err(io::Error::from(io::ErrorKind::InvalidFilename));
    };
    let folder = File::open(folder)?;
    call(&Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name))
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::os::unix::net::{UnixListener, UnixStream};

    use super::*;

    #[test]
    fn a_socket_is_bound_and_reached_however_long_its_path_is() {
        let root = tempfile::tempdir().unwrap();
        for depth in [0, 5] {
            let mut folder = root.path().to_owned();
            folder.extend((0..depth).map(|_| "a folder with a long name"));
            std::fs::create_dir_all(&folder).unwrap();
            let path = folder.join("s.sock");
            assert_eq!(path.as_os_str().len() > PATH_BYTES_MAX, depth > 0);
            let listener = at_short_path(&path, |path| UnixListener::bind(path)).unwrap();
            at_short_path(&path, |path| UnixStream::connect(path)).unwrap().write_all(b"hi").unwrap();
            let mut heard = String::new();
            listener.accept().unwrap().0.read_to_string(&mut heard).unwrap();
            assert_eq!(heard, "hi");
            assert!(path.exists());
        }
    }
}
