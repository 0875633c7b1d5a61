/**
 * Makes sure that a child ends with this process, however this process ends.
 *
 * An ordinary end is easy to hear of; a signal, above all SIGKILL, is not: no code of ours runs then. So a shell waits at the
 * other end of a pipe. When the pipe ends, this process is gone, and the shell asks the child to end. No handler of signals is
 * installed here: what they do to this process is its owner's to say.
 */

import { type ChildProcess, spawn } from "node:child_process"
import type { Socket } from "node:net"

/** Reads a line; if there is none any more, asks the child to end. What ends this process must not end the shell. */
const SCRIPT = `trap '' HUP INT TERM; read -r line || kill -s TERM "$1"`

/** Guards a child; the answer lets go of it and is to be called when it has ended. */
export function guard(child: ChildProcess): () => void {
  const { pid } = child
  if (pid === undefined) {
    return () => undefined
  }
  const atExit = (): void => void child.kill("SIGTERM")
  process.once("exit", atExit)
  const shell = process.platform === "win32" ? undefined : watch(pid)
  return () => {
    process.off("exit", atExit)
    // A line tells the shell that there is nothing left to end.
    shell?.stdin?.end("\n")
  }
}

function watch(pid: number): ChildProcess {
  const shell = spawn("/bin/sh", ["-c", SCRIPT, "sh", String(pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    cwd: "/",
    env: {},
    detached: true,
  })
  // Without a shell the ordinary end is still guarded.
  shell.on("error", () => undefined)
  shell.stdin?.on("error", () => undefined)
  shell.unref()
  // Pipes are sockets, which their types do not say.
  ;(shell.stdin as unknown as Socket | null)?.unref()
  return shell
}
