/**
 * Starting a daemon of one's own, from Node.
 *
 * Everything of `@openscience/sdk` is here too. Browsers cannot import this.
 */

export { type LaunchOptions, type OpenScienceServer, createOpenScienceServer } from "./launch.js"
export { OpenScienceServerError, type ServerFailure } from "./launch-error.js"
export * from "./index.js"

import { resolve } from "node:path"

import { type OpenScienceClient, createOpenScienceClient } from "./client.js"
import type { ConnectionOptions } from "./connection.js"
import { type LaunchOptions, type OpenScienceServer, createOpenScienceServer } from "./launch.js"
import { type OpenScienceRuntime, createOpenScienceRuntime } from "./runtime.js"

/** A daemon of one's own and how to speak to it. */
export interface OpenScience {
  server: OpenScienceServer
  client: OpenScienceClient
  runtime: OpenScienceRuntime
  /** What client and runtime were made with: for further ones, of other projects. */
  connection: ConnectionOptions
}

/**
 * Starts a daemon and connects to it, with its working directory as the project. Close `server` when done.
 *
 * @throws what `createOpenScienceServer` throws.
 */
export async function createOpenScience(options: LaunchOptions = {}): Promise<OpenScience> {
  const server = await createOpenScienceServer(options)
  const directory = resolve(options.cwd ?? process.cwd())
  const connection: ConnectionOptions = {
    baseUrl: server.url,
    directory,
    ...(server.token === undefined ? {} : { token: server.token }),
  }
  return {
    server,
    client: createOpenScienceClient(connection),
    runtime: createOpenScienceRuntime(connection),
    connection,
  }
}
