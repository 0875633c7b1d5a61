/** Requests of the client: what is sent for an input, and what becomes of the answer. */

import assert from "node:assert/strict"
import { test } from "node:test"

import {
  OpenScienceConnectionError,
  OpenScienceHttpError,
  OpenScienceProtocolError,
  OpenScienceTimeoutError,
  createOpenScienceClient,
} from "@openscience/sdk"

import { fake, frame, json, stream } from "./support/fake.js"

const BASE = { baseUrl: "http://127.0.0.1:1" }

test("parameters go to the path and the query, everything else to the body", async () => {
  const { fetch, asked } = fake(json({}))
  const client = createOpenScienceClient({ ...BASE, fetch })
  await client.session.list({ limit: 5, roots: false, search: "a&b ü" })
  await client.session.message({ sessionID: "ses_1", messageID: "msg/1" })
  await client.session.update({ sessionID: "ses_1", title: "new", time: { pinned: 0 } })
  await client.permission.reply({ permissionID: "per_1", reply: "once" })
  assert.deepEqual(
    asked.map((one) => [one.method, one.url.pathname, one.body]),
    [
      ["GET", "/session", undefined],
      ["GET", "/session/ses_1/message/msg%2F1", undefined],
      ["PATCH", "/session/ses_1", { title: "new", time: { pinned: 0 } }],
      ["POST", "/permission/per_1/reply", { reply: "once" }],
    ],
  )
  const query = Object.fromEntries(asked[0]?.url.searchParams ?? [])
  assert.deepEqual(query, { limit: "5", roots: "false", search: "a&b ü" })
  assert.equal(asked[0]?.headers.get("content-type"), null)
  assert.equal(asked[2]?.headers.get("content-type"), "application/json")
})

test("an operation without input sends no body and no content type", async () => {
  const { fetch, asked } = fake(json({}))
  const client = createOpenScienceClient({ ...BASE, fetch })
  await client.session.create()
  await client.session.abort({ sessionID: "ses_1", abortSource: "runner_timeout" })
  assert.deepEqual(
    asked.map((one) => one.body),
    [undefined, undefined],
  )
  assert.equal(asked[0]?.headers.get("content-type"), null)
  assert.equal(asked[1]?.headers.get("x-openscience-abort-source"), "runner_timeout")
})

test("project, token and further headers go with every request, and a call may choose others", async () => {
  const { fetch, asked } = fake(json({}))
  const client = createOpenScienceClient({
    ...BASE,
    fetch,
    directory: "/a/b",
    project: "prj_1",
    token: "secret",
    headers: { "x-mine": "1" },
  })
  await client.session.list()
  await client.session.list({}, { directory: "/c d", project: "prj_2", headers: { "x-mine": "2" } })
  const sent = (index: number, name: string): string | null | undefined => asked[index]?.headers.get(name)
  assert.equal(sent(0, "x-openscience-directory"), "/a/b")
  assert.equal(sent(0, "x-openscience-project"), "prj_1")
  assert.equal(sent(0, "authorization"), "Bearer secret")
  assert.equal(sent(0, "x-mine"), "1")
  assert.equal(sent(1, "x-openscience-directory"), "%2Fc%20d")
  assert.equal(sent(1, "x-openscience-project"), "prj_2")
  assert.equal(sent(1, "x-mine"), "2")
})

test("a directory that is not plain is encoded whole, so that it is decoded to exactly itself", async () => {
  const { fetch, asked } = fake(json({}))
  for (const directory of ["/日本/🚀 x", "/a%20b", "/a+b", " /a", "/é", "/tab\there"]) {
    await createOpenScienceClient({ ...BASE, fetch, directory }).session.list()
    const sent = asked.at(-1)?.headers.get("x-openscience-directory") ?? ""
    assert.match(sent, /^[\x21-\x7e]+$/)
    assert.ok(!sent.startsWith("/"), "the encoded form is no absolute path")
    assert.equal(decodeURIComponent(sent), directory)
  }
})

test("a token may be asked for anew for each request", async () => {
  const { fetch, asked } = fake(json({}))
  let count = 0
  const client = createOpenScienceClient({ ...BASE, fetch, token: async () => `t${(count += 1)}` })
  await client.session.list()
  await client.session.list()
  assert.deepEqual(
    asked.map((one) => one.headers.get("authorization")),
    ["Bearer t1", "Bearer t2"],
  )
})

test("a refusal is returned, or thrown where that is asked for", async () => {
  const body = { error: "not_found", code: "session_not_found", message: "no" }
  const { fetch } = fake(() => json(body, 404))
  const client = createOpenScienceClient({ ...BASE, fetch })
  const { data, error, response } = await client.session.get({ sessionID: "ses_1" })
  assert.equal(data, undefined)
  assert.ok(error instanceof OpenScienceHttpError && error.code === "session_not_found")
  assert.equal(response?.status, 404)
  await assert.rejects(client.session.get({ sessionID: "ses_1" }, { throwOnError: true }), {
    code: "session_not_found",
  })
  const throwing = createOpenScienceClient({ ...BASE, fetch, throwOnError: true })
  await assert.rejects(throwing.session.get({ sessionID: "ses_1" }), { code: "session_not_found" })
  assert.equal((await throwing.session.get({ sessionID: "ses_1" }, { throwOnError: false })).error?.message, "no")
})

test("a call is sent once, whatever becomes of it", async () => {
  const { fetch, asked } = fake(new TypeError("reset"))
  const client = createOpenScienceClient({ ...BASE, fetch })
  const { error } = await client.session.create({ title: "x" })
  assert.ok(error instanceof OpenScienceConnectionError)
  assert.equal(asked.length, 1)
})

test("an answer that is cut off, no JSON or redirected is an error that says so", async () => {
  const client = (answer: Response): ReturnType<typeof createOpenScienceClient> =>
    createOpenScienceClient({ ...BASE, fetch: fake(answer).fetch, throwOnError: true })
  await assert.rejects(client(stream(['{"id":'], "break")).session.list(), OpenScienceConnectionError)
  await assert.rejects(client(new Response("<html>")).session.list(), OpenScienceProtocolError)
  await assert.rejects(client(new Response("")).session.list(), OpenScienceProtocolError)
  const redirect = new Response(null, { status: 307, headers: { location: "http://127.0.0.1:2/" } })
  await assert.rejects(client(redirect).session.list(), OpenScienceProtocolError)
})

const never = (asked: { signal: AbortSignal | undefined }): Promise<Response> =>
  new Promise((_, reject) => asked.signal?.addEventListener("abort", () => reject(new TypeError("aborted"))))

test("a call that takes too long fails, and one that is aborted rejects with the reason", async () => {
  const client = createOpenScienceClient({ ...BASE, fetch: fake(never).fetch })
  const { error } = await client.session.list({}, { timeoutMs: 10 })
  assert.ok(error instanceof OpenScienceTimeoutError && error.timeoutMs === 10)
  const controller = new AbortController()
  const call = client.session.list({}, { signal: controller.signal })
  controller.abort(new Error("enough"))
  await assert.rejects(call, /enough/)
  await assert.rejects(client.session.list({}, { signal: AbortSignal.abort() }), { name: "AbortError" })
})

test("a body that does not come on is limited by the same time", async () => {
  const opened = (asked: { signal: AbortSignal | undefined }): Response => {
    const body = new ReadableStream({
      start: (controller) => asked.signal?.addEventListener("abort", () => controller.error(new TypeError("aborted"))),
    })
    return new Response(body, { headers: { "content-type": "application/json" } })
  }
  const client = createOpenScienceClient({ ...BASE, fetch: fake(opened).fetch, timeoutMs: 10 })
  assert.ok((await client.session.list()).error instanceof OpenScienceTimeoutError)
})

test("a call without a time limit leaves no listener on the caller's signal", async () => {
  const { signal } = new AbortController()
  let listeners = 0
  const { addEventListener, removeEventListener } = signal
  signal.addEventListener = (...given: Parameters<typeof addEventListener>) => (
    (listeners += 1),
    addEventListener.apply(signal, given)
  )
  signal.removeEventListener = (...given: Parameters<typeof removeEventListener>) => (
    (listeners -= 1),
    removeEventListener.apply(signal, given)
  )
  await createOpenScienceClient({ ...BASE, fetch: fake(() => json([])).fetch }).session.list({}, { signal })
  await createOpenScienceClient({ ...BASE, fetch: fake(() => json({}, 404)).fetch }).session.list({}, { signal })
  assert.equal(listeners, 0)
})

test("wrong arguments are told before anything is sent", async () => {
  const { fetch, asked } = fake(json({}))
  const client = createOpenScienceClient({ ...BASE, fetch })
  for (const sessionID of ["", ".", ".."]) {
    await assert.rejects(client.session.get({ sessionID }), TypeError)
  }
  await assert.rejects(client.session.get({} as { sessionID: string }), TypeError)
  await assert.rejects(client.session.get({ sessionID: "ses_1", other: 1 } as { sessionID: string }), /takes no other/)
  await assert.rejects(client.session.list({ search: {} as string }), TypeError)
  assert.equal(asked.length, 0)
  for (const baseUrl of ["ftp://127.0.0.1", "http://u:p@127.0.0.1", "http://127.0.0.1/?a=b", "nonsense"]) {
    assert.throws(() => createOpenScienceClient({ baseUrl }), TypeError)
  }
  assert.throws(() => createOpenScienceClient({ timeoutMs: -1 }), RangeError)
})

test("an address may have a path, as behind a proxy", async () => {
  const { fetch, asked } = fake(json([]))
  await createOpenScienceClient({ baseUrl: "https://host.test/daemon/", fetch }).session.list()
  assert.equal(asked[0]?.url.href, "https://host.test/daemon/session")
})

test("text is text", async () => {
  const { fetch } = fake(new Response("openscience_runs 1\n", { headers: { "content-type": "text/plain" } }))
  assert.equal((await createOpenScienceClient({ ...BASE, fetch }).global.metrics()).data, "openscience_runs 1\n")
})

test("a stream is opened when it is read, gives parsed frames and ends with the connection", async () => {
  const { fetch, asked } = fake(stream([": hello\n\n", 'data: {"type":"server.connected"}\n\n', frame(1)]))
  const events = createOpenScienceClient({ ...BASE, fetch }).event.subscribe()
  assert.equal(asked.length, 0)
  const seen = []
  for await (const one of events) {
    seen.push([one.id, one.event, (one.data as { type: string }).type])
  }
  assert.deepEqual(seen, [
    [undefined, "message", "server.connected"],
    ["1", "session.idle", "session.idle"],
  ])
  assert.ok(events.closed)
})

test("a stream that is refused or broken off throws in the loop", async () => {
  const read = async (answer: Response): Promise<void> => {
    for await (const _ of createOpenScienceClient({ ...BASE, fetch: fake(answer).fetch }).global.event()) {
      // Only the end counts.
    }
  }
  await assert.rejects(read(json({ code: "too_many_subscribers" }, 429, { "retry-after": "2" })), {
    retryAfterMs: 2_000,
  })
  await assert.rejects(read(stream(["data: 1\n\n"], "break")), OpenScienceConnectionError)
  await assert.rejects(read(json([])), OpenScienceProtocolError)
  await assert.rejects(read(stream(["data: no JSON\n\n"])), OpenScienceProtocolError)
})
