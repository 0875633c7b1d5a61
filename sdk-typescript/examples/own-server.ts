/**
 * Starts a daemon of its own, works with it and ends it. The daemon is gone when this program is, however it ends.
 */

import { createOpenScience } from "@openscience/sdk/server"

const { server, client, runtime } = await createOpenScience({
  executablePath: process.env["OPENSCIENCE_BINARY"],
  port: 0,
  timeout: 30_000,
  serveArgs: process.argv.slice(2),
})
try {
  console.log(`openscience ${server.version}`)
  const { data: session } = await client.session.create({}, { throwOnError: true })
  const prompt = { sessionID: session.id, requestID: "own", effort: "normal", message: "say 3" } as const
  const { runID } = await runtime.prompt(prompt)
  const run = await runtime.wait({ sessionID: session.id, runID, intervalMs: 50 })
  const { data } = await client.session.message(
    { sessionID: session.id, messageID: run.resultMessageID ?? "" },
    { throwOnError: true },
  )
  console.log(data.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(""))
} finally {
  await server.close()
}
