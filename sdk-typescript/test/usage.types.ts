/** Types as programs use them: compiled with the tests, never run. What must not compile is marked. */

import {
  EventStream,
  type Message,
  type OpenScienceClient,
  type OpenScienceRuntime,
  type Result,
  type RunState,
  type RuntimeEvent,
  type Session,
  RUN_STATES,
  createOpenScienceClient,
  createOpenScienceRuntime,
  isEvent,
} from "@openscience/sdk"

export async function operations(client: OpenScienceClient): Promise<void> {
  const created = await client.session.create({ title: "x", workspace: "project" }, { throwOnError: true })
  const id: string = created.data.id
  const result: Result<Session> = await client.session.get({ sessionID: id })
  // @ts-expect-error without throwOnError there may be no data
  result.data.id.length
  if (result.error === undefined) {
    const session: Session = result.data
    void session
  }
  const messages: Message[] = (await client.session.messages({ sessionID: id, limit: 5 }, { throwOnError: true })).data
  for (const part of messages.flatMap((message) => message.parts)) {
    if (part.type === "tool" && part.state.status === "completed") {
      const output: string = part.state.output
      void output
    }
  }
  await client.session.create()
  await client.session.create({}, { signal: AbortSignal.timeout(1_000), timeoutMs: 500, directory: "/x" })
  const facts: EventStream<{ event: string; data: unknown }> = client.event.subscribe({}, {})
  facts.close()
  const text: string = (await client.global.metrics({}, { throwOnError: true })).data
  void text
  // @ts-expect-error the id is missing
  await client.session.get()
  // @ts-expect-error the id is missing
  await client.session.get({})
  // @ts-expect-error there is no such member
  await client.session.get({ sessionID: id, other: 1 })
  // @ts-expect-error no such place to work
  await client.session.create({ workspace: "elsewhere" })
  // @ts-expect-error there is no such operation
  await client.session.explode()
  // @ts-expect-error a limit is a number
  await client.session.messages({ sessionID: id, limit: "5" })
}

export async function work(runtime: OpenScienceRuntime, signal: AbortSignal): Promise<void> {
  const accepted = await runtime.prompt({ sessionID: "ses_1", requestID: "k", effort: "normal", message: "hi" })
  await runtime.prompt({ sessionID: "ses_1", effort: "ultra", parts: [{ type: "text", text: "hi" }] }, { signal })
  const run = await runtime.wait({ sessionID: "ses_1", runID: accepted.runID, signal, until: "decision" })
  const state: RunState = run.state
  const waits: string[] = run.waiting?.decisions ?? []
  void [state, waits]
  await runtime.decide({ kind: "permission", sessionID: "ses_1", requestID: "per_1", reply: "once" })
  await runtime.decide({ kind: "question", sessionID: "ses_1", requestID: "que_1", answers: [["a"]] })
  await runtime.decide({ kind: "question_reject", sessionID: "ses_1", requestID: "que_1" })
  for await (const event of runtime.events({ sessionID: "ses_1", afterSequence: 0, signal })) {
    if (isEvent(event, "runtime.failed")) {
      const code: string = event.properties.error.code
      void code
    }
  }
  const observed = await runtime.observe({ sessionID: "ses_1" }).next()
  if (observed.done !== true && observed.value.type === "event") {
    const event: RuntimeEvent = observed.value.event
    void event
  }
  // @ts-expect-error a prompt says how hard to think
  await runtime.prompt({ sessionID: "ses_1", message: "hi" })
  // @ts-expect-error no such reply
  await runtime.decide({ kind: "permission", sessionID: "ses_1", requestID: "per_1", reply: "maybe" })
  // @ts-expect-error a question has answers
  await runtime.decide({ kind: "question", sessionID: "ses_1", requestID: "que_1" })
}

export const first: "accepted" = RUN_STATES[0]
export const both = [createOpenScienceClient(), createOpenScienceRuntime({ baseUrl: "http://127.0.0.1:4096" })] as const
