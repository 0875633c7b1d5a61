/**
 * Creates a session, prompts it and prints what comes, until the run has ended.
 *
 *     OPENSCIENCE_URL=http://127.0.0.1:4096 node quickstart.js "say 20 50"
 */

import { PartTexts, createOpenScienceClient, createOpenScienceRuntime, isEvent, isFinalEvent } from "@openscience/sdk"

const connection = {
  baseUrl: process.env["OPENSCIENCE_URL"] ?? "http://127.0.0.1:4096",
  directory: process.cwd(),
  token: process.env["OPENSCIENCE_AUTH_TOKEN"],
}
const client = createOpenScienceClient(connection)
const runtime = createOpenScienceRuntime(connection)

const { data: session } = await client.session.create({ title: "Quickstart" }, { throwOnError: true })
const message = process.argv[2] ?? "say 10 20"
const { runID } = await runtime.prompt({ sessionID: session.id, requestID: "quickstart", effort: "normal", message })

const texts = new PartTexts()
const shown = new Map<string, number>()
for await (const event of runtime.events({ sessionID: session.id, afterSequence: 0 })) {
  const part = texts.apply(event)
  if (part?.type === "text" && isEvent(event, "message.part.updated")) {
    process.stdout.write(part.text.slice(shown.get(part.partID) ?? 0))
    shown.set(part.partID, part.text.length)
  }
  if (event.runID === runID && isFinalEvent(event)) {
    break
  }
}
const run = await runtime.getRun({ sessionID: session.id, runID })
console.log(`\n${run.state}`)
