/**
 * Follows a session and answers its permissions: what is on the list is allowed once, everything else is rejected.
 *
 * A person's program would ask the person instead. Answers are safe to repeat, so a crash between two steps does no harm.
 */

import {
  OpenScienceHttpError,
  type OpenScienceRuntime,
  type PermissionRequest,
  createOpenScienceClient,
  createOpenScienceRuntime,
  isEvent,
  isFinalEvent,
} from "@openscience/sdk"

const ALLOWED = new Set(["make", "git status"])

async function answer(runtime: OpenScienceRuntime, request: PermissionRequest): Promise<void> {
  const reply = request.patterns.every((pattern) => ALLOWED.has(pattern)) ? "once" : "reject"
  try {
    const receipt = await runtime.decide({
      kind: "permission",
      sessionID: request.sessionID,
      requestID: request.id,
      reply,
    })
    console.log(`${request.patterns.join(", ")}: ${reply} (${receipt.status})`)
  } catch (error) {
    // Somebody else was faster, or the run is over: both are fine here.
    const isOver =
      error instanceof OpenScienceHttpError && ["decision_conflict", "decision_expired"].includes(error.code)
    if (!isOver) {
      throw error
    }
  }
}

const connection = { baseUrl: process.env["OPENSCIENCE_URL"] ?? "http://127.0.0.1:4096", directory: process.cwd() }
const client = createOpenScienceClient(connection)
const runtime = createOpenScienceRuntime(connection)
const { data: session } = await client.session.create({ title: "Decide" }, { throwOnError: true })
const observer = runtime.observe({ sessionID: session.id })
const { runID } = await runtime.prompt({
  sessionID: session.id,
  requestID: "decide",
  effort: "normal",
  message: "ask make\nask curl\nsay 3",
})

for await (const one of observer) {
  if (one.type === "snapshot") {
    // Only what a fresh snapshot shows can be answered: events are history.
    await Promise.all(one.snapshot.permissions.map((request) => answer(runtime, request)))
  } else if (isEvent(one.event, "permission.asked")) {
    await answer(runtime, one.event.properties)
  } else if (one.event.runID === runID && isFinalEvent(one.event)) {
    break
  }
}
console.log((await runtime.getRun({ sessionID: session.id, runID })).state)
