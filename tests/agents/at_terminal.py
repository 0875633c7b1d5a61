"""Runs a command at a terminal of its own and types a line once a text is shown.

usage: at_terminal.py TEXT LINE COMMAND [ARGS...]; prints all that was shown, exits as the command did.
"""

import os
import pty
import sys


def main() -> int:
    text, line, *command = sys.argv[1:]
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(command[0], command)
    shown = b""
    typed = not text
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            piece = b""
        if not piece:
            break
        shown += piece
        if not typed and text.encode() in shown:
            os.write(terminal, line.encode() + b"\n")
            typed = True
    _, status = os.waitpid(pid, 0)
    sys.stdout.buffer.write(shown)
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main())
