/** Rules that need no daemon and no connection. */

import assert from "node:assert/strict"
import { test } from "node:test"

import {
  FINAL_EVENT_TYPES,
  FINAL_RUN_STATES,
  OpenScienceConnectionError,
  OpenScienceError,
  OpenScienceHttpError,
  OpenScienceTimeoutError,
  PartTexts,
  RuntimeEventCursorError,
  type RuntimeEvent,
  type RuntimeRun,
  isEvent,
  isFinal,
  isFinalEvent,
  isTransient,
} from "@openscience/sdk"

import { checkedRetry, delayMs, pause } from "../src/backoff.js"
import { failureCode, readLine } from "../src/readiness.js"

const refusal = (status: number, body: unknown): OpenScienceHttpError =>
  new OpenScienceHttpError({ status, body, what: "GET /x" })

test("delays double up to the maximum and are shortened by at most half", () => {
  const retry = checkedRetry({})
  assert.deepEqual(
    [0, 1, 2, 3].map((failures) => delayMs(retry, failures, undefined, 0)),
    [100, 200, 400, 800],
  )
  assert.equal(delayMs(retry, 20, undefined, 0), 30_000)
  assert.equal(delayMs(retry, 5_000, undefined, 0), 30_000)
  assert.equal(delayMs(retry, 0, undefined, 0.999), 50)
  assert.equal(delayMs(retry, 0, 2_000, 0.5), 2_000)
})

test("numbers that no delay can have are refused", () => {
  assert.throws(() => checkedRetry({ baseMs: -1 }), RangeError)
  assert.throws(() => checkedRetry({ attempts: Number.NaN }), RangeError)
  assert.equal(checkedRetry(false).attempts, 0)
})

test("a pause ends with the reason of its signal", async () => {
  const controller = new AbortController()
  const paused = pause(60_000, controller.signal)
  controller.abort(new Error("enough"))
  await assert.rejects(paused, /enough/)
  await assert.rejects(pause(60_000, controller.signal), /enough/)
})

test("a refusal shows the members of its body", () => {
  const error = refusal(404, {
    error: "not_found",
    code: "session_not_found",
    message: "no such session",
    name: "NotFoundError",
    data: { message: "no such session" },
  })
  assert.equal(error.code, "session_not_found")
  assert.equal(error.error, "not_found")
  assert.equal(error.message, "no such session")
  assert.equal(error.name, "NotFoundError")
  assert.deepEqual(error.data, { message: "no such session" })
  assert.equal(error.problem.code, "session_not_found")
  assert.ok(error instanceof OpenScienceError)
})

test("a refusal of any form is an error with a code and a message", () => {
  const check = (body: unknown, code: string): void => {
    const error = refusal(502, body)
    assert.equal(error.code, code)
    assert.equal(error.name, "OpenScienceHttpError")
    assert.notEqual(error.message, "")
  }
  check(undefined, "http_502")
  check("text", "http_502")
  check([1], "http_502")
  check({ error: ["issue"], code: 7 }, "http_502")
  check({ error: "Forbidden host" }, "http_502")
  check({ error: "cursor_expired" }, "cursor_expired")
})

test("a cursor that was refused is told from other conflicts", () => {
  const expired = RuntimeEventCursorError.from(
    refusal(409, { error: "cursor_expired", code: "cursor_expired", oldestSequence: 9, latestSequence: 20 }),
  )
  assert.equal(expired?.reason, "expired")
  assert.equal(expired?.oldestSequence, 9)
  assert.equal(expired?.latestSequence, 20)
  assert.equal(expired?.status, 409)
  assert.equal(RuntimeEventCursorError.from(refusal(409, { error: "cursor_ahead" }))?.reason, "ahead")
  assert.equal(RuntimeEventCursorError.from(refusal(409, { error: "session_deleting" })), undefined)
  assert.equal(RuntimeEventCursorError.from(new Error("x")), undefined)
})

test("only what passes by itself is transient", () => {
  for (const status of [408, 429, 500, 502, 503]) {
    assert.ok(isTransient(refusal(status, {})), String(status))
  }
  for (const status of [400, 401, 404, 409, 413]) {
    assert.ok(!isTransient(refusal(status, {})), String(status))
  }
  assert.ok(isTransient(new OpenScienceConnectionError("reset")))
  assert.ok(isTransient(new OpenScienceTimeoutError(10, "GET /x")))
  assert.ok(!isTransient(new TypeError("a bug")))
})

test("a run has ended in a final state, or when an unknown state says when it ended", () => {
  const run = (state: string, completedAt?: number): RuntimeRun =>
    ({ state, ...(completedAt === undefined ? {} : { completedAt }) }) as RuntimeRun
  assert.deepEqual(
    FINAL_RUN_STATES.map((state) => isFinal(run(state))),
    [true, true, true, true],
  )
  assert.ok(!isFinal(run("accepted")) && !isFinal(run("running")))
  assert.ok(!isFinal(run("a state of the future")))
  assert.ok(isFinal(run("a state of the future", 5)))
})

const event = (type: string, properties: Record<string, unknown>): RuntimeEvent => ({
  sequence: 1,
  sessionID: "ses_1",
  runID: "run_1",
  type,
  kind: "system",
  properties,
  time: 1,
})

test("events are known by their type, and unknown ones do no harm", () => {
  const failed = event("runtime.failed", {
    error: { code: "agent_exited", message: "it exited" },
    message: "it exited",
  })
  assert.ok(isEvent(failed, "runtime.failed") && failed.properties.error.code === "agent_exited")
  assert.ok(!isEvent(failed, "runtime.completed"))
  assert.deepEqual(
    FINAL_EVENT_TYPES.map((type) => isFinalEvent(event(type, {}))),
    [true, true, true],
  )
  assert.ok(!isFinalEvent(event("something.new", {})))
})

const grown = (properties: object): RuntimeEvent =>
  event("message.part.updated", {
    ...properties,
    part: {
      id: "prt_1",
      messageID: "msg_1",
      sessionID: "ses_1",
      type: "text",
      ...(properties as { part?: object }).part,
    },
  })

test("growth of a text is put together in UTF-16 units", () => {
  const texts = new PartTexts()
  texts.apply(grown({ part: { text: "🚀" } }))
  assert.equal(texts.apply(grown({ part: { textLength: 5 }, offset: 2, delta: "abc" }))?.text, "🚀abc")
  assert.equal(texts.apply(grown({ part: { textLength: 7 }, offset: 5, delta: "de" }))?.text, "🚀abcde")
  assert.equal(texts.apply(grown({ part: { textLength: 7 } }))?.complete, true)
  assert.equal(texts.apply(grown({ part: { text: "all new" } }))?.text, "all new")
  assert.equal(texts.get("prt_1")?.messageID, "msg_1")
  texts.delete("prt_1")
  assert.equal(texts.get("prt_1"), undefined)
})

test("growth that was applied before changes nothing, and growth that was missed is told", () => {
  const texts = new PartTexts()
  texts.apply(grown({ part: { text: "abcdef" } }))
  assert.equal(texts.apply(grown({ part: {}, offset: 2, delta: "cd" }))?.text, "abcdef")
  assert.equal(texts.apply(grown({ part: {}, offset: 4, delta: "efgh" }))?.text, "abcdefgh")
  assert.equal(texts.apply(grown({ part: {}, offset: 20, delta: "xyz" }))?.complete, false)
  assert.equal(texts.apply(grown({ part: { text: "whole" } }))?.complete, true)
  assert.equal(texts.apply(grown({ part: { textLength: 50 } }))?.complete, false)
})

test("other events change no text", () => {
  const texts = new PartTexts()
  assert.equal(texts.apply(event("session.idle", {})), undefined)
  assert.equal(texts.apply(grown({ part: { type: "tool" } })), undefined)
})

const ready = (changes: object = {}): string =>
  JSON.stringify({
    type: "server.ready",
    schemaVersion: 1,
    url: "http://127.0.0.1:5000",
    pid: 7,
    version: "1.2.3",
    ...changes,
  })

test("a daemon says where it listens in JSON, or in text", () => {
  assert.deepEqual(readLine(ready(), 7), { url: "http://127.0.0.1:5000", pid: 7, version: "1.2.3" })
  assert.equal(readLine("openscience server listening on http://localhost:4096", 7)?.url, "http://localhost:4096")
  assert.equal(readLine(ready({ url: "http://[::1]:5000" }), 7)?.url, "http://[::1]:5000")
  assert.equal(readLine("some other line", 7), undefined)
  assert.equal(readLine('{"type":"something.else"}', 7), undefined)
})

test("what no daemon of ours says is refused", () => {
  const check = (line: string): void => void assert.throws(() => readLine(line, 7), line)
  check("{ no JSON")
  check(ready({ schemaVersion: 2 }))
  check(ready({ pid: 8 }))
  check(ready({ url: "https://127.0.0.1:5000" }))
  check(ready({ url: "http://example.com:5000" }))
  check(ready({ url: "http://127.0.0.1.example.com" }))
  check(ready({ url: "http://user:secret@127.0.0.1:5000" }))
  check(ready({ url: "http://127.0.0.1:5000/path" }))
  check(ready({ url: "http://127.0.0.1:5000/?a=b" }))
  check(ready({ url: 5 }))
  check("openscience server listening on http://example.com")
})

test("the daemon's word for why it did not start is found in its stderr", () => {
  assert.equal(failureCode('noise\n{"type":"server.error","code":"port_in_use","message":"x"}\n'), "port_in_use")
  assert.equal(failureCode("noise"), undefined)
})
