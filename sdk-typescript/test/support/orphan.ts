/** A program that starts a daemon, says where it is, and ends in the way that it is told: see server.test.ts. */

import { createOpenScienceServer } from "@openscience/sdk/server"

const [how, options] = process.argv.slice(2)

const server = await createOpenScienceServer(JSON.parse(options ?? "{}"))
process.stdout.write(`${JSON.stringify({ pid: server.pid, url: server.url })}\n`)

switch (how) {
  case "return":
    // The program has nothing left to do.
    server.unref()
    break
  case "exit":
    process.exit(7)
    break
  case "throw":
    setImmediate(() => {
      throw new Error("a bug")
    })
    break
  case "stay":
    break
  default:
    throw new Error(`unknown end ${how}`)
}
