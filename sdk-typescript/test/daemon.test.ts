/** The package against a real daemon with the simulator. */

import assert from "node:assert/strict"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { after, before, test } from "node:test"

import {
  EVENT_RETENTION,
  OpenScienceHttpError,
  PROTOCOL_VERSION,
  PartTexts,
  RuntimeEventCursorError,
  type Session,
  type SessionList,
  createOpenScienceClient,
  createOpenScienceRuntime,
  isEvent,
} from "@openscience/sdk"
import { createOpenScience } from "@openscience/sdk/server"

import { collect, range, sequences } from "./support/collect.js"
import { type Daemon, daemon, until, world } from "./support/daemon.js"

let it: Daemon

before(async () => {
  it = await daemon()
})
after(() => it?.stop())

async function session(): Promise<string> {
  return (await it.client.session.create({ title: "test" }, { throwOnError: true })).data.id
}

async function submit(sessionID: string, message: string, requestID?: string): Promise<string> {
  const input = { sessionID, effort: "normal", message, ...(requestID === undefined ? {} : { requestID }) } as const
  return (await it.runtime.prompt(input)).runID
}

const ended = (sessionID: string, runID: string): ReturnType<typeof it.runtime.wait> =>
  it.runtime.wait({ sessionID, runID, intervalMs: 20 })

/** Sessions of this daemon; references to an agent's own come in another form. */
function listed(data: SessionList): Session[] {
  assert.ok(Array.isArray(data))
  return data
}

test("the daemon speaks this protocol", async () => {
  const capabilities = await it.runtime.capabilities()
  assert.equal(capabilities.protocolVersion, PROTOCOL_VERSION)
  assert.equal(capabilities.eventRetention, EVENT_RETENTION)
  assert.equal((await it.server.health()).version, it.server.version)
})

test("a session is created, prompted, followed and read", async () => {
  const sessionID = await session()
  const runID = await submit(sessionID, "say 5")
  const events = await collect(it.runtime.events({ sessionID, afterSequence: 0 }))
  assert.deepEqual(sequences(events), range(1, events.length))
  assert.deepEqual(new Set(events.map((event) => event.runID)), new Set([runID]))
  assert.equal(events.at(-1)?.type, "runtime.completed")

  const receipt = await it.runtime.getRun({ sessionID, runID })
  assert.equal(receipt.state, "completed", "the receipt is final when the last event is there")
  const { data } = await it.client.session.messages({ sessionID }, { throwOnError: true })
  const text = data.flatMap((message) => message.parts).flatMap((part) => (part.type === "text" ? [part.text] : []))
  assert.deepEqual(text, ["say 5", "w1 w2 w3 w4 w5"])
  const answer = await it.client.session.message(
    { sessionID, messageID: receipt.resultMessageID ?? "" },
    { throwOnError: true },
  )
  assert.equal(answer.data.info.role, "assistant")
})

test("the same prompt under the same key is one run, also many at once; another prompt is refused", async () => {
  const sessionID = await session()
  const runs = await Promise.all(range(1, 20).map(() => submit(sessionID, "say 3", "key")))
  assert.equal(new Set(runs).size, 1)
  const runID = runs[0] ?? ""
  assert.equal((await ended(sessionID, runID)).requestID, "key")
  assert.equal(await submit(sessionID, "say 3", "key"), runID)
  await assert.rejects(submit(sessionID, "something else", "key"), { status: 409, code: "request_conflict" })
  assert.equal((await it.runtime.snapshot({ sessionID })).runs.length, 1)
})

test("a prompt during a run joins it, and both are in one receipt", async () => {
  const sessionID = await session()
  const runID = await submit(sessionID, "say 20 20")
  const joined = await it.runtime.prompt({ sessionID, requestID: "second", effort: "normal", message: "say 2" })
  assert.equal(joined.runID, runID)
  assert.match(joined.turnID ?? "", /^trn_/)
  await ended(sessionID, runID)
  const receipt = await it.runtime.getRun({
    sessionID,
    runID,
    ...(joined.turnID === undefined ? {} : { turnID: joined.turnID }),
  })
  assert.equal(receipt.turn?.id, joined.turnID)
})

test("a permission is seen, decided once, and decided the same again", async () => {
  const sessionID = await session()
  const runID = await submit(sessionID, "ask make\nsay 2")
  const waiting = await it.runtime.wait({ sessionID, runID, intervalMs: 20, until: "decision" })
  assert.equal(waiting.state, "running")
  const [request] = (await it.runtime.snapshot({ sessionID })).permissions
  assert.deepEqual(waiting.waiting?.decisions, [request?.id])
  assert.deepEqual(request?.patterns, ["make"])
  const answer = { kind: "permission", sessionID, requestID: request?.id ?? "", reply: "once" } as const
  const receipt = await it.runtime.decide(answer)
  assert.equal(receipt.status, "resolved")
  assert.deepEqual(await it.runtime.decide(answer), receipt)
  await assert.rejects(it.runtime.decide({ ...answer, reply: "reject" }), { code: "decision_conflict" })
  await assert.rejects(it.runtime.decide({ ...answer, requestID: "per_unknown" }), { code: "decision_expired" })
  assert.equal((await ended(sessionID, runID)).state, "completed")
  const events = await collect(it.runtime.events({ sessionID, afterSequence: 0 }))
  const replied = events.find((event) => isEvent(event, "permission.replied"))
  assert.equal(replied?.properties["actor"], "person")
})

test("a question is seen and answered, and one that is dismissed stops nothing", async () => {
  const sessionID = await session()
  const asked = async (runID: string): Promise<string> => {
    const { waiting } = await it.runtime.wait({ sessionID, runID, intervalMs: 20, until: "decision" })
    const [request] = (await it.runtime.snapshot({ sessionID })).questions
    assert.deepEqual(waiting?.decisions, [request?.id])
    assert.deepEqual(
      request?.questions[0]?.options.map((option) => option.label),
      ["red", "blue"],
    )
    return request?.id ?? ""
  }
  const first = await submit(sessionID, "question Which? | red | blue")
  const answer = { kind: "question", sessionID, requestID: await asked(first), answers: [["blue"]] } as const
  await assert.rejects(it.runtime.decide({ ...answer, answers: [] }), { code: "invalid_answer" })
  const receipt = await it.runtime.decide({ ...answer, answers: [["blue"]] })
  assert.equal(receipt.status, "resolved")
  assert.equal((await ended(sessionID, first)).state, "completed")
  await assert.rejects(it.runtime.decide({ ...answer, answers: [["red"]] }), { code: "decision_conflict" })

  const second = await submit(sessionID, "question Which? | red | blue")
  await it.runtime.decide({ kind: "question_reject", sessionID, requestID: await asked(second) })
  assert.equal((await ended(sessionID, second)).state, "completed")
  const { events } = await it.runtime.replay({ sessionID, afterSequence: 0 })
  const told = events.filter((event) => event.type.startsWith("question.")).map((event) => event.type)
  assert.deepEqual(told, ["question.asked", "question.replied", "question.asked", "question.rejected"])
})

test("a cancel stops that run, and a finished one is answered unchanged", async () => {
  const sessionID = await session()
  const runID = await submit(sessionID, "say 1000 100")
  await it.runtime.cancel({ sessionID, runID })
  const receipt = await ended(sessionID, runID)
  assert.equal(receipt.state, "cancelled")
  assert.deepEqual(await it.runtime.cancel({ sessionID, runID }), receipt)
  await assert.rejects(it.runtime.cancel({ sessionID, runID: "run_unknown" }), { status: 404, code: "run_not_found" })
})

test("a run that fails says why", async () => {
  const sessionID = await session()
  const receipt = await ended(sessionID, await submit(sessionID, "exit 3"))
  assert.equal(receipt.state, "failed")
  assert.equal(receipt.error?.code, "agent_exited")
})

test("text that is told in pieces is the text that is kept, in any script", async () => {
  const sessionID = await session()
  const wide = "数学 🚀 naïve e\u0301 🇯🇵 ".repeat(4_000)
  const texts = new PartTexts()
  await submit(sessionID, `think 30\nsay 50 1\n${wide}`)
  for (const event of await collect(it.runtime.events({ sessionID, afterSequence: 0 }))) {
    texts.apply(event)
  }
  const { data } = await it.client.session.messages({ sessionID }, { throwOnError: true })
  const kept = data
    .flatMap((message) => message.parts)
    .filter((part) => part.type === "text" || part.type === "reasoning")
  assert.ok(
    kept.some((part) => part.type === "text" && part.text.length > wide.length),
    "the answer holds all of it",
  )
  for (const part of kept) {
    assert.equal(texts.get(part.id)?.text, part.text)
    assert.equal(texts.get(part.id)?.complete, true)
  }
})

test("a large tool output is cut in its event and whole in its message", async () => {
  const sessionID = await session()
  const output = "é".repeat(400_000)
  await ended(sessionID, await submit(sessionID, `tool big ${JSON.stringify({ output })}`))
  const { data } = await it.client.session.messages({ sessionID }, { throwOnError: true })
  const part = data.flatMap((message) => message.parts).find((one) => one.type === "tool")
  assert.ok(part?.type === "tool" && part.state.status === "completed")
  assert.ok(part.state.output.includes(output))
  const { events } = await it.runtime.replay({ sessionID, afterSequence: 0 })
  assert.ok(events.every((event) => JSON.stringify(event).length < 300_000))
})

test("a cursor that expired is told with what can be replayed, and an observer goes on from a snapshot", async () => {
  const sessionID = await session()
  await submit(sessionID, "repeat 600 plan look | act")
  const states: number[] = []
  for await (const one of it.runtime.observe({ sessionID })) {
    states.push(one.type === "event" ? one.event.sequence : -1)
    if (one.type === "event" && one.event.type === "runtime.completed") {
      break
    }
  }
  const { oldestSequence, latestSequence } = await it.runtime.snapshot({ sessionID })
  assert.equal(latestSequence - oldestSequence + 1, EVENT_RETENTION)
  for (const call of [
    () => it.runtime.replay({ sessionID, afterSequence: 0 }),
    () => it.runtime.events({ sessionID, afterSequence: 0 }).next(),
  ]) {
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof RuntimeEventCursorError && error.reason === "expired")
      assert.deepEqual([error.oldestSequence, error.latestSequence], [oldestSequence, latestSequence])
      return true
    })
  }
  await assert.rejects(it.runtime.events({ sessionID, afterSequence: latestSequence + 1 }).next(), { reason: "ahead" })
  const retained = await collect(it.runtime.events({ sessionID, afterSequence: oldestSequence - 1 }))
  assert.deepEqual(sequences(retained), range(oldestSequence, latestSequence))
  const all: number[] = []
  for (let after = oldestSequence - 1; ; ) {
    const { events } = await it.runtime.replay({ sessionID, afterSequence: after })
    if (events.length === 0) {
      break
    }
    all.push(...sequences(events))
    after = events.at(-1)?.sequence ?? after
  }
  assert.deepEqual(all, sequences(retained))
})

test("streams of many sessions at once each get their own events", async () => {
  const ids = await Promise.all(range(1, 8).map(() => session()))
  const streams = ids.flatMap((sessionID) =>
    [1, 2].map(() => collect(it.runtime.events({ sessionID, afterSequence: 0 }))),
  )
  const runs = await Promise.all(ids.map((sessionID, index) => submit(sessionID, `say ${index + 5} 5`)))
  const all = await Promise.all(streams)
  all.forEach((events, index) => {
    assert.deepEqual(sequences(events), range(1, events.length))
    assert.deepEqual(new Set(events.map((event) => event.runID)), new Set([runs[Math.floor(index / 2)]]))
  })
})

test("live facts of the project are heard, and the stream ends when it is left", async () => {
  const facts = it.client.event.subscribe()
  const first = await facts.next()
  assert.equal((first.value?.data as { type: string }).type, "server.connected")
  const sessionID = await session()
  let heard: unknown
  for await (const one of facts) {
    const { type, properties } = one.data as { type: string; properties: { info?: { id: string } } }
    if (type === "session.created" && properties.info?.id === sessionID) {
      heard = properties.info.id
      break
    }
  }
  assert.equal(heard, sessionID)
  assert.ok(facts.closed)
})

test("closing a stream touches no run", async () => {
  const sessionID = await session()
  const runID = await submit(sessionID, "say 20 10")
  const events = it.runtime.events({ sessionID, afterSequence: 0 })
  await events.next()
  events.close()
  assert.equal((await ended(sessionID, runID)).state, "completed")
})

test("a deleted session ends its streams and is not found", async () => {
  const sessionID = await session()
  await submit(sessionID, "say 1")
  const events = it.runtime.events({ sessionID, afterSequence: 0 })
  await events.next()
  assert.equal((await it.client.session.delete({ sessionID }, { throwOnError: true })).data, true)
  const rest = collect(events, () => false)
  await assert.rejects(rest, (error) => error instanceof OpenScienceHttpError && error.status === 404)
})

test("what is invalid is told with every place", async () => {
  const sessionID = await session()
  await assert.rejects(it.runtime.prompt({ sessionID, effort: "normal", message: "" }), (error) => {
    assert.ok(error instanceof OpenScienceHttpError)
    assert.equal(error.code, "invalid_request")
    assert.ok((error.issues ?? []).length > 0)
    return true
  })
})

test("a token is wanted where one was set, and health does without", async () => {
  await using place = await world()
  const secret = await createOpenScience(place.launch({ token: "a secret" }))
  try {
    assert.equal((await secret.runtime.capabilities()).protocolVersion, PROTOCOL_VERSION)
    const { url } = secret.server
    for (const token of [undefined, "another"]) {
      const stranger = createOpenScienceRuntime({ baseUrl: url, token })
      await assert.rejects(stranger.capabilities(), { status: 401, code: "unauthorized" })
      await assert.rejects(stranger.events({ sessionID: "ses_x" }).next(), { status: 401 })
    }
    const health = await createOpenScienceClient({ baseUrl: url }).global.health()
    assert.equal(health.data?.healthy, true)
  } finally {
    await secret.server.kill()
  }
})

test("a project may have any name, and is the same directory everywhere", async () => {
  for (const name of ["数学 프로젝트", "🚀 a+b", "100%", "a%20b", "a b", "é", "e\u0301", "tab\tquote'\"", "#?&=;"]) {
    const directory = join(it.world.root, name)
    await mkdir(directory, { recursive: true })
    const client = createOpenScienceClient({ ...it.connection, directory, throwOnError: true })
    const runtime = createOpenScienceRuntime({ ...it.connection, directory })
    const { data } = await client.session.create({ workspace: "project" }, { throwOnError: true })
    assert.equal(data.directory, directory)
    const { runID } = await runtime.prompt({ sessionID: data.id, effort: "normal", message: "say 1" })
    await collect(runtime.events({ sessionID: data.id, afterSequence: 0 }))
    assert.equal((await runtime.wait({ sessionID: data.id, runID, intervalMs: 20 })).state, "completed")
    const list = await client.session.list({}, { throwOnError: true })
    assert.deepEqual(
      listed(list.data).map((one) => one.id),
      [data.id],
    )
    await assert.rejects(it.runtime.snapshot({ sessionID: data.id }), { code: "session_not_found" })
  }
})

test("pages of a list are in the headers of the answer", async () => {
  const directory = join(it.world.root, "pages")
  await mkdir(directory)
  const client = createOpenScienceClient({ ...it.connection, directory })
  for (let count = 0; count < 3; count += 1) {
    await client.session.create({ title: String(count) }, { throwOnError: true })
  }
  const first = await client.session.list({ limit: 2 }, { throwOnError: true })
  const cursor = first.response.headers.get("x-next-cursor") ?? ""
  const second = await client.session.list({ limit: 2, before: cursor }, { throwOnError: true })
  assert.deepEqual(
    [...listed(first.data), ...listed(second.data)].map((one) => one.title),
    ["2", "1", "0"],
  )
})

test("a session is forked, let go and taken up again, and its agent is looked at", async () => {
  const sessionID = await session()
  await ended(sessionID, await submit(sessionID, "say 1"))
  const strict = { throwOnError: true } as const
  const { data: fork } = await it.client.session.fork({ sessionID }, strict)
  assert.notEqual(fork.id, sessionID)
  const { data: agent } = await it.client.session.agent({ sessionID }, strict)
  assert.equal(agent.agent, "sim")
  await it.client.session.close({ sessionID }, strict)
  await it.client.session.resume({ sessionID }, strict)
  assert.equal((await ended(sessionID, await submit(sessionID, "say 2"))).state, "completed")
  const refused = await it.client.session.mode({ sessionID, mode: "unknown" })
  assert.ok(refused.error instanceof OpenScienceHttpError && refused.error.code === "method_not_supported")
})

test("agents and their processes are listed", async () => {
  const sessionID = await session()
  await ended(sessionID, await submit(sessionID, "say 1"))
  const agents = await it.client.agent.list({}, { throwOnError: true })
  assert.ok(agents.data.some((agent) => agent.id === "sim"))
  const connections = await until("a connection", async () => {
    const { data } = await it.client.agent.connections({}, { throwOnError: true })
    return data.length > 0 && data
  })
  assert.equal(connections[0]?.agent, "sim")
  const metrics = await it.client.global.metrics({}, { throwOnError: true })
  assert.match(metrics.data, /^openscience_/m)
})
