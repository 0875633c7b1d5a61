"""What becomes of a daemon whose owner dies without a word?

A process of its own, started by `server.Server`: it does nothing until its owner is gone, then ends the
daemon. An owner that is killed cannot do that any more. (The kernel's parent-death signal would not do: it
follows the thread that started the child, and threads end.)

Arguments: pid of the daemon, seconds between TERM and KILL. Its standard input is held open by the owner.
"""

import os
import select
import signal
import sys
import time

LOOK_EVERY_SECONDS = 1.0


def is_owned(owner: int) -> bool:
    """True while the owner lives. Its end closes the pipe; a fork of it might hold that, so look twice."""
    readable, _, _ = select.select([0], [], [], LOOK_EVERY_SECONDS)
    return os.getppid() == owner and not (readable and os.read(0, 1) == b"")


def held(pid: int) -> "int | None":
    """Holds on to that very process, where the system can: its number may belong to another one by then."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def main() -> None:
    daemon, grace = int(sys.argv[1]), float(sys.argv[2])
    owner = os.getppid()
    handle = held(daemon)

    def send(number: int) -> bool:
        try:
            if handle is None:
                os.kill(daemon, number)
            else:
                signal.pidfd_send_signal(handle, number)
            return True
        except ProcessLookupError:
            return False

    os.write(1, b".")
    while is_owned(owner):
        pass
    if not send(signal.SIGTERM):
        return
    end = time.monotonic() + grace
    while time.monotonic() < end:
        if handle is not None:
            if select.select([handle], [], [], end - time.monotonic())[0]:
                return
        elif not send(0):
            return
        else:
            time.sleep(0.1)
    send(signal.SIGKILL)


if __name__ == "__main__":
    main()
