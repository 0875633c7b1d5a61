/** The runtime against answers that were prepared: what is repeated, what is not, and how streams go on. */

import assert from "node:assert/strict"
import { test } from "node:test"

import {
  type ConnectionOptions,
  type ConnectionState,
  EventStream,
  OpenScienceConnectionError,
  OpenScienceHttpError,
  OpenScienceProtocolError,
  type OpenScienceRuntime,
  RuntimeEventCursorError,
  createOpenScienceRuntime,
} from "@openscience/sdk"

import { type Answer, fake, frame, json, stream } from "./support/fake.js"

const RETRY = { attempts: 3, baseMs: 1, maxMs: 4 }

function runtime(
  answers: Answer[],
  options: ConnectionOptions = {},
): { runtime: OpenScienceRuntime; asked: ReturnType<typeof fake>["asked"] } {
  const { fetch, asked } = fake(...answers)
  return {
    runtime: createOpenScienceRuntime({ baseUrl: "http://127.0.0.1:1", fetch, retry: RETRY, ...options }),
    asked,
  }
}

const PROMPT = { sessionID: "ses_1", requestID: "key", effort: "normal", message: "hi" } as const
const ACCEPTED = { runID: "run_1", acceptedAt: 1 }
const reset = new TypeError("fetch failed", { cause: new Error("read ECONNRESET") })
const problem =
  (status: number, code: string, more: object = {}): (() => Response) =>
  () =>
    json({ error: code, code, message: code, ...more }, status)

test("a prompt is sent exactly as given", async () => {
  const { runtime: it, asked } = runtime([json(ACCEPTED, 202)])
  const input = { ...PROMPT, delegation: false, model: { providerID: "p", modelID: "m" } }
  assert.deepEqual(await it.prompt(input), ACCEPTED)
  assert.deepEqual(
    asked.map((one) => [one.method, one.url.pathname, one.body]),
    [["POST", "/runtime/prompt", input]],
  )
})

test("a prompt with a key is repeated unchanged while no answer comes", async () => {
  const { runtime: it, asked } = runtime([
    reset,
    problem(503, "shutting_down"),
    stream(['{"runID'], "break"),
    json(ACCEPTED, 202),
  ])
  assert.deepEqual(await it.prompt(PROMPT), ACCEPTED)
  assert.deepEqual(
    asked.map((one) => one.body),
    [PROMPT, PROMPT, PROMPT, PROMPT],
  )
})

test("a messageID is a key too", async () => {
  const { runtime: it, asked } = runtime([reset, json(ACCEPTED, 202)])
  const { requestID: _, ...rest } = PROMPT
  await it.prompt({ ...rest, messageID: "msg_0123456789abABCDEFGHIJKLMN" })
  assert.equal(asked.length, 2)
})

test("a prompt without a key is sent once, and the doubt is told", async () => {
  const { runtime: it, asked } = runtime([reset])
  const { requestID: _, ...rest } = PROMPT
  await assert.rejects(
    it.prompt(rest),
    (error) => error instanceof OpenScienceConnectionError && /ECONNRESET/.test(error.message),
  )
  assert.equal(asked.length, 1)
})

test("a refusal of the prompt is not repeated", async () => {
  for (const [status, code] of [
    [409, "request_conflict"],
    [409, "queue_full"],
    [404, "session_not_found"],
    [400, "invalid_request"],
  ] as const) {
    const { runtime: it, asked } = runtime([problem(status, code)])
    await assert.rejects(it.prompt(PROMPT), { code, error: code, status })
    assert.equal(asked.length, 1)
  }
})

test("repeating ends after the tries that were asked for, with the last failure", async () => {
  const { runtime: it, asked } = runtime([reset])
  await assert.rejects(it.prompt(PROMPT), OpenScienceConnectionError)
  assert.equal(asked.length, 4)
  const never = runtime([reset], { retry: false })
  await assert.rejects(never.runtime.snapshot({ sessionID: "ses_1" }), OpenScienceConnectionError)
  assert.equal(never.asked.length, 1)
})

test("an aborted call is not repeated", async () => {
  const controller = new AbortController()
  const { runtime: it, asked } = runtime([reset], { retry: { attempts: 5, baseMs: 60_000, maxMs: 60_000 } })
  const call = it.prompt(PROMPT, { signal: controller.signal })
  controller.abort(new Error("enough"))
  await assert.rejects(call, /enough/)
  assert.ok(asked.length <= 1)
})

test("the other calls go where they should", async () => {
  const { runtime: it, asked } = runtime([() => json({ events: [] })])
  await it.capabilities()
  await it.getRun({ sessionID: "ses_1", runID: "run_1", turnID: "trn_1" })
  await it.snapshot({ sessionID: "ses_1" })
  await it.cancel({ sessionID: "ses_1", runID: "run_1" })
  await it.decide({ kind: "permission", sessionID: "ses_1", requestID: "per_1", reply: "once" })
  await it.decide({ kind: "question", sessionID: "ses_1", requestID: "que_1", answers: [["a"]] })
  await it.decide({ kind: "question_reject", sessionID: "ses_1", requestID: "que_1" })
  await it.replay({ sessionID: "ses_1", afterSequence: 0 })
  const ids = { sessionID: "ses_1" }
  assert.deepEqual(
    asked.map((one) => [`${one.method} ${one.url.pathname}${one.url.search}`, one.body]),
    [
      ["GET /runtime/capabilities", undefined],
      ["GET /runtime/run?sessionID=ses_1&runID=run_1&turnID=trn_1", undefined],
      ["GET /runtime/snapshot?sessionID=ses_1", undefined],
      ["POST /runtime/cancel", { ...ids, runID: "run_1" }],
      ["POST /runtime/decision", { kind: "permission", ...ids, requestID: "per_1", reply: "once" }],
      ["POST /runtime/decision", { kind: "question", ...ids, requestID: "que_1", answers: [["a"]] }],
      ["POST /runtime/decision", { kind: "question_reject", ...ids, requestID: "que_1" }],
      ["GET /runtime/events/replay?sessionID=ses_1&afterSequence=0", undefined],
    ],
  )
})

test("a replay with a cursor that leads nowhere says which can be replayed", async () => {
  const { runtime: it } = runtime([problem(409, "cursor_expired", { oldestSequence: 5, latestSequence: 9 })])
  await assert.rejects(it.replay({ sessionID: "ses_1", afterSequence: 1 }), (error) => {
    assert.ok(error instanceof RuntimeEventCursorError)
    assert.deepEqual(
      [error.reason, error.code, error.error, error.oldestSequence, error.latestSequence],
      ["expired", "cursor_expired", "cursor_expired", 5, 9],
    )
    return true
  })
})

const run =
  (state: string, more: object = {}): (() => Response) =>
  () =>
    json({ runID: "run_1", sessionID: "ses_1", state, ...more })

test("waiting looks at the receipt until it is final, and does nothing else", async () => {
  const { runtime: it, asked } = runtime([
    run("accepted"),
    run("running"),
    run("failed", { error: { code: "agent_exited" } }),
  ])
  const receipt = await it.wait({ sessionID: "ses_1", runID: "run_1", intervalMs: 10 })
  assert.equal(receipt.state, "failed")
  assert.deepEqual(new Set(asked.map((one) => `${one.method} ${one.url.pathname}`)), new Set(["GET /runtime/run"]))
  assert.equal(asked.length, 3)
})

test("waiting can return when people are waited for", async () => {
  const waiting = { waiting: { decisions: ["per_1"], since: 5 } }
  const { runtime: it, asked } = runtime([run("running"), run("running", waiting), run("completed")])
  const receipt = await it.wait({ sessionID: "ses_1", runID: "run_1", intervalMs: 10, until: "decision" })
  assert.deepEqual(receipt.waiting, waiting.waiting)
  assert.equal((await it.wait({ sessionID: "ses_1", runID: "run_1", intervalMs: 10 })).state, "completed")
  assert.equal(asked.length, 3)
})

test("waiting survives a daemon that is away, and not for ever", async () => {
  const { runtime: it } = runtime([reset, problem(503, "shutting_down"), run("interrupted")])
  assert.equal((await it.wait({ sessionID: "ses_1", runID: "run_1" })).state, "interrupted")
  const slow = runtime([
    () => new Promise<Response>((resolve) => setTimeout(resolve, 30, json({ state: "x" }, 503))),
    run("completed"),
  ])
  assert.equal(
    (await slow.runtime.wait({ sessionID: "ses_1", runID: "run_1", unreachableMs: 20 })).state,
    "completed",
    "one failure is no time",
  )
  const gone = runtime([reset])
  await assert.rejects(
    gone.runtime.wait({ sessionID: "ses_1", runID: "run_1", unreachableMs: 20 }),
    OpenScienceConnectionError,
  )
  const refused = runtime([problem(404, "run_not_found")])
  await assert.rejects(refused.runtime.wait({ sessionID: "ses_1", runID: "run_1" }), { code: "run_not_found" })
  assert.equal(refused.asked.length, 1)
})

test("an aborted wait asks nothing and rejects with the reason", async () => {
  const { runtime: it, asked } = runtime([run("running")])
  await assert.rejects(
    it.wait({ sessionID: "ses_1", runID: "run_1", signal: AbortSignal.abort(new Error("enough")) }),
    /enough/,
  )
  assert.equal(asked.length, 0)
  const controller = new AbortController()
  const wait = it.wait({ sessionID: "ses_1", runID: "run_1", signal: controller.signal })
  setImmediate(() => controller.abort(new Error("later")))
  await assert.rejects(wait, /later/)
  await assert.rejects(it.wait({ sessionID: "ses_1", runID: "run_1", intervalMs: 9 }), RangeError)
})

/** The sequences of so many events. */
async function read(it: OpenScienceRuntime, count: number, afterSequence?: number): Promise<number[]> {
  const seen: number[] = []
  for await (const event of it.events({ sessionID: "ses_1", afterSequence })) {
    seen.push(event.sequence)
    if (seen.length === count) {
      break
    }
  }
  return seen
}

test("events go on where they were cut, and what comes twice is given once", async () => {
  const { runtime: it, asked } = runtime([
    stream([frame(4), frame(5), 'id: 6\ndata: {"half'], "break"),
    reset,
    problem(503, "shutting_down"),
    stream([": comment\n\n"]),
    stream([frame(4), frame(5), frame(6), frame(7)]),
  ])
  assert.deepEqual(await read(it, 4, 3), [4, 5, 6, 7])
  assert.deepEqual(
    new Set(asked.map((one) => one.url.search)),
    new Set(["?sessionID=ses_1&afterSequence=3"]),
    "the query stays",
  )
  assert.deepEqual(
    asked.map((one) => one.headers.get("last-event-id")),
    [null, "5", "5", "5", "5"],
  )
  assert.match(asked[0]?.headers.get("accept") ?? "", /text\/event-stream/)
})

test("without a cursor the first event is the beginning, wherever that is", async () => {
  const { runtime: it, asked } = runtime([reset, stream([frame(100), frame(101)], "break"), stream([frame(102)])])
  assert.deepEqual(await read(it, 3), [100, 101, 102])
  assert.deepEqual(
    asked.map((one) => [one.url.search, one.headers.get("last-event-id")]),
    [
      ["?sessionID=ses_1", null],
      ["?sessionID=ses_1", null],
      ["?sessionID=ses_1", "101"],
    ],
  )
})

test("a gap, an event of another session and a refused cursor end the stream and are told", async () => {
  const check = async (answer: Answer, reason: string): Promise<void> => {
    const { runtime: it, asked } = runtime([answer])
    await assert.rejects(read(it, 9, 1), (error) => error instanceof RuntimeEventCursorError && error.reason === reason)
    assert.equal(asked.length, 1, "it is not tried again")
  }
  await check(stream([frame(2), frame(4)]), "gap")
  await check(stream([frame(3)]), "gap")
  await check(stream([frame(2, "ses_2")]), "foreign_session")
  await check(problem(409, "cursor_expired", { oldestSequence: 50 }), "expired")
  await check(problem(409, "cursor_ahead", { latestSequence: 0 }), "ahead")
})

test("other refusals are thrown at once, and what passes is waited for", async () => {
  for (const [status, code] of [
    [400, "invalid_cursor"],
    [401, "unauthorized"],
    [404, "session_not_found"],
  ] as const) {
    const { runtime: it, asked } = runtime([problem(status, code)])
    await assert.rejects(read(it, 1), (error) => error instanceof OpenScienceHttpError && error.code === code)
    assert.equal(asked.length, 1)
  }
  const { runtime: it } = runtime([problem(429, "too_many_subscribers"), problem(500, "internal"), stream([frame(1)])])
  assert.deepEqual(await read(it, 1, 0), [1])
})

test("an answer that is no stream of events of this protocol is an error and not a reason to come back", async () => {
  const event = (changes: object): string =>
    `data: ${JSON.stringify({ sequence: 1, sessionID: "ses_1", ...changes })}\n\n`
  for (const answer of [
    json({ healthy: true }),
    stream(["data: no JSON\n\n"]),
    stream(["data: null\n\n"]),
    stream([event({ sequence: "1" })]),
    stream([event({ sequence: 0 })]),
    stream([event({ sequence: 1.5 })]),
    stream([`id: 2\n${event({})}`]),
  ]) {
    const { runtime: it, asked } = runtime([answer])
    await assert.rejects(read(it, 1, 0), OpenScienceProtocolError)
    assert.equal(asked.length, 1)
  }
})

test("the connection is told apart from the run", async () => {
  const { runtime: it } = runtime([stream([frame(1)], "break"), stream([frame(2)])])
  const states: string[] = []
  const onConnection = (state: ConnectionState): void => {
    states.push(state.state === "reconnecting" ? `reconnecting after ${state.lastSequence}` : state.state)
  }
  for await (const event of it.events({ sessionID: "ses_1", afterSequence: 0, onConnection })) {
    if (event.sequence === 2) {
      break
    }
  }
  assert.deepEqual(states, ["connecting", "open", "reconnecting after 1", "connecting", "open", "closed"])
})

test("delays grow while nothing is delivered, and begin anew when something was", async () => {
  const empty = (): Response => stream([])
  const { runtime: it } = runtime([empty, empty, empty, () => stream([frame(1)]), empty, () => stream([frame(2)])], {
    retry: { attempts: 0, baseMs: 4, maxMs: 1_000 },
  })
  const delays: number[] = []
  const onConnection = (state: ConnectionState): void => {
    if (state.state === "reconnecting") {
      delays.push(state.delayMs)
    }
  }
  for await (const event of it.events({ sessionID: "ses_1", afterSequence: 0, onConnection })) {
    if (event.sequence === 2) {
      break
    }
  }
  const bounds = [4, 8, 16, 4, 8]
  assert.equal(delays.length, bounds.length)
  assert.ok(
    delays.every((delay, index) => delay <= (bounds[index] ?? 0) && delay >= (bounds[index] ?? 0) / 2),
    String(delays),
  )
})

test("coming back can be bounded", async () => {
  const { runtime: it, asked } = runtime([reset])
  const events = it.events({ sessionID: "ses_1", maxReconnects: 2 })
  await assert.rejects(events.next(), OpenScienceConnectionError)
  assert.equal(asked.length, 3)
  assert.ok(events.closed)
  const ended = runtime([() => stream([])])
  await assert.rejects(ended.runtime.events({ sessionID: "ses_1", maxReconnects: 1 }).next(), OpenScienceProtocolError)
})

test("a stream that falls silent is cut and taken up again", async () => {
  const { runtime: it, asked } = runtime([stream([frame(1)], "open"), stream([frame(2)])])
  const seen: number[] = []
  for await (const event of it.events({ sessionID: "ses_1", afterSequence: 0, idleTimeoutMs: 20 })) {
    seen.push(event.sequence)
    if (seen.length === 2) {
      break
    }
  }
  assert.deepEqual(seen, [1, 2])
  assert.equal(asked[1]?.headers.get("last-event-id"), "1")
})

test("closing ends a stream that waits, without an error, and ends its connection", async () => {
  for (const close of ["close", "return", "abort"] as const) {
    let cancelled = 0
    const controller = new AbortController()
    const { runtime: it, asked } = runtime([stream([frame(1)], "open", () => (cancelled += 1))])
    const events = it.events({ sessionID: "ses_1", afterSequence: 0, signal: controller.signal })
    assert.equal((await events.next()).value?.sequence, 1)
    const waiting = events.next()
    close === "abort" ? controller.abort() : close === "close" ? events.close() : await events.return()
    assert.deepEqual(await waiting, { done: true, value: undefined })
    assert.deepEqual(await events.next(), { done: true, value: undefined })
    assert.equal(cancelled, 1)
    assert.ok(events.closed)
    assert.ok(asked[0]?.signal?.aborted === true)
  }
})

test("a loop that is left ends the connection", async () => {
  let cancelled = 0
  const { runtime: it, asked } = runtime([stream([frame(1), frame(2)], "open", () => (cancelled += 1))])
  assert.deepEqual(await read(it, 1, 0), [1])
  assert.equal(cancelled, 1)
  assert.ok(asked[0]?.signal?.aborted)
})

test("a stream whose signal is aborted before asks nothing", async () => {
  const { runtime: it, asked } = runtime([stream([frame(1)])])
  const events = it.events({ sessionID: "ses_1", signal: AbortSignal.abort() })
  assert.deepEqual(await events.next(), { done: true, value: undefined })
  assert.equal(asked.length, 0)
})

test("nothing is read before it is asked for", async () => {
  const pulled: number[] = []
  const many = Array.from({ length: 100 }, (_, index) => frame(index + 1))
  const source = stream(many)
  const body = (source.body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(
    new TransformStream(
      { transform: (bytes, out) => (pulled.push(1), out.enqueue(bytes)) },
      { highWaterMark: 1 },
      { highWaterMark: 0 },
    ),
  )
  const { runtime: it } = runtime([new Response(body, { headers: source.headers })])
  const events = it.events({ sessionID: "ses_1", afterSequence: 0 })
  for (let count = 0; count < 5; count += 1) {
    await events.next()
  }
  await new Promise((resolve) => setImmediate(resolve))
  assert.ok(pulled.length <= 8, `${pulled.length} frames were pulled for 5 events`)
  events.close()
})

test("a cursor that cannot be is refused at once", () => {
  const { runtime: it } = runtime([reset])
  for (const afterSequence of [-1, 1.5, Number.NaN, 2 ** 53]) {
    assert.throws(() => it.events({ sessionID: "ses_1", afterSequence }), RangeError)
  }
})

const snapshot =
  (latestSequence: number): (() => Response) =>
  () =>
    json({ sessionID: "ses_1", runs: [], latestSequence })

test("an observer gets a snapshot, the events after it, and another snapshot when the cursor is lost", async () => {
  const { runtime: it, asked } = runtime([
    snapshot(3),
    stream([frame(4)]),
    problem(409, "cursor_expired", { oldestSequence: 50, latestSequence: 60 }),
    snapshot(60),
    stream([frame(61)]),
  ])
  const seen: string[] = []
  for await (const one of it.observe({ sessionID: "ses_1" })) {
    seen.push(one.type === "snapshot" ? `snapshot ${one.snapshot.latestSequence}` : `event ${one.event.sequence}`)
    if (seen.length === 4) {
      break
    }
  }
  assert.deepEqual(seen, ["snapshot 3", "event 4", "snapshot 60", "event 61"])
  assert.equal(asked[4]?.url.searchParams.get("afterSequence"), "60")
})

test("an observer that is refused is told", async () => {
  const { runtime: it } = runtime([problem(404, "session_not_found")])
  await assert.rejects(it.observe({ sessionID: "ses_1" }).next(), { code: "session_not_found" })
})

test("what fails inside a stream is thrown once, then the stream is over", async () => {
  const events = new EventStream<number>(async function* () {
    yield 1
    throw new Error("broken")
  })
  assert.deepEqual(await events.next(), { done: false, value: 1 })
  await assert.rejects(events.next(), /broken/)
  assert.deepEqual(await events.next(), { done: true, value: undefined })
})
