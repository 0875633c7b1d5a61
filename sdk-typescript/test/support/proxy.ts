/** A TCP proxy that misbehaves as it is told to. */

import { type AddressInfo, type Server, type Socket, connect, createServer } from "node:net"

/** What becomes of the next connection. */
export interface Fate {
  /** Cuts the connection, both ways, after so many bytes of the answer. */
  cutAfter?: number
  /** Passes the answer on in pieces of so many bytes, each a write of its own. */
  pieces?: number
  /** Lets the request through, passes nothing of the answer on and ends the connection. */
  mute?: boolean
  /** Passes on so many bytes of the answer and then nothing, with the connection left standing. */
  freezeAfter?: number
}

export interface Proxy {
  url: string
  /** How many connections there were. */
  connections(): number
  /** How many stand. */
  open(): number
  /** Whether connections are taken at all; those that stand are cut when not. */
  setUp(isUp: boolean): void
  close(): Promise<void>
}

/** @param fate asked for each connection, the first being number 0. */
export async function proxy(port: number, fate: (connection: number) => Fate = () => ({})): Promise<Proxy> {
  const sockets = new Set<Socket>()
  let count = 0
  let isUp = true
  const server = createServer((client) => {
    if (!isUp) {
      client.destroy()
      return
    }
    sockets.add(client)
    const daemon = connect(port, "127.0.0.1")
    const cut = (): void => {
      client.destroy()
      daemon.destroy()
      sockets.delete(client)
    }
    for (const socket of [client, daemon]) {
      socket.setNoDelay(true)
      socket.on("error", cut)
      socket.on("close", cut)
    }
    client.pipe(daemon)
    pass(daemon, client, fate(count), cut)
    count += 1
  })
  await listen(server)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => count,
    open: () => sockets.size,
    setUp: (up) => {
      isUp = up
      if (!up) {
        sockets.forEach((socket) => socket.destroy())
      }
    },
    close: () => {
      sockets.forEach((socket) => socket.destroy())
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function pass(daemon: Socket, client: Socket, fate: Fate, cut: () => void): void {
  let left = fate.cutAfter ?? fate.freezeAfter ?? Number.POSITIVE_INFINITY
  if (fate.mute === true) {
    daemon.once("data", cut)
    return
  }
  daemon.on("data", (bytes) => {
    const passing = bytes.subarray(0, left)
    left -= passing.length
    const size = fate.pieces ?? Math.max(passing.length, 1)
    for (let at = 0; at < passing.length; at += size) {
      client.write(passing.subarray(at, at + size))
    }
    if (left <= 0 && fate.freezeAfter === undefined) {
      client.end(cut)
    }
  })
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
}
