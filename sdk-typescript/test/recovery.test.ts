/** What breaks between the package and the daemon: connections, the daemon itself, answers that get lost. */

import assert from "node:assert/strict"
import { after, before, test } from "node:test"

import {
  type ConnectionState,
  type OpenScienceRuntime,
  PartTexts,
  type RuntimeEvent,
  createOpenScienceRuntime,
  isFinal,
  isFinalEvent,
} from "@openscience/sdk"

import { chance, collect, range, sequences } from "./support/collect.js"
import { type Daemon, daemon } from "./support/daemon.js"
import { type Proxy, proxy } from "./support/proxy.js"

const RETRY = { baseMs: 1, maxMs: 50 }

let it: Daemon

before(async () => {
  it = await daemon()
})
after(() => it?.stop())

async function session(): Promise<string> {
  return (await it.client.session.create({}, { throwOnError: true })).data.id
}

/** All events of a session, read without any disturbance. */
async function journal(sessionID: string): Promise<RuntimeEvent[]> {
  return (await it.runtime.replay({ sessionID, afterSequence: 0 })).events
}

async function through<Value>(between: Proxy, use: () => Promise<Value>): Promise<Value> {
  try {
    return await use()
  } finally {
    await between.close()
  }
}

test("a stream that is cut at random bytes gives every event once and unchanged", async () => {
  const seed = Date.now() % 1_000_000
  const random = chance(seed)
  const between = await proxy(it.port, () => ({ cutAfter: 150 + Math.floor(random() * 6_000) }))
  await through(between, async () => {
    const sessionID = await session()
    const runtime = createOpenScienceRuntime({ ...it.connection, baseUrl: between.url, retry: RETRY })
    await it.runtime.prompt({
      sessionID,
      effort: "normal",
      message: "think 20 2\nsay 60 5\nplan a | b\ntool x\n数学 🚀",
    })
    const events = await collect(runtime.events({ sessionID, afterSequence: 0 }))
    assert.deepEqual(events, await journal(sessionID), `seed ${seed}`)
    assert.ok(between.connections() > 3, `seed ${seed}: it was cut`)
  })
})

test("a stream that is cut after every possible byte of its beginning loses nothing", async () => {
  const sessionID = await session()
  const { runID } = await it.runtime.prompt({ sessionID, effort: "normal", message: "数学 🚀" })
  await it.runtime.wait({ sessionID, runID, intervalMs: 20 })
  const expected = await journal(sessionID)
  // The head of the answer and the first event: cut at each 7th byte, and whole at last.
  const between = await proxy(it.port, (connection) => ({ cutAfter: 1 + connection * 7 }))
  await through(between, async () => {
    const runtime = createOpenScienceRuntime({ ...it.connection, baseUrl: between.url, retry: { baseMs: 0, maxMs: 0 } })
    const events = await collect(runtime.events({ sessionID, afterSequence: 0 }))
    assert.deepEqual(events, expected)
    assert.ok(between.connections() > 20)
  })
})

test("a stream that comes one byte at a time is the same text", async () => {
  const between = await proxy(it.port, () => ({ pieces: 1 }))
  await through(between, async () => {
    const sessionID = await session()
    const runtime = createOpenScienceRuntime({ ...it.connection, baseUrl: between.url })
    const { runID } = await runtime.prompt({ sessionID, effort: "normal", message: "naïve 数学 🚀🇯🇵" })
    const texts = new PartTexts()
    const events = await collect(runtime.events({ sessionID, afterSequence: 0 }))
    events.forEach((event) => texts.apply(event))
    const { resultMessageID = "" } = await it.runtime.getRun({ sessionID, runID })
    const { data } = await it.client.session.message({ sessionID, messageID: resultMessageID }, { throwOnError: true })
    const part = data.parts.find((one) => one.type === "text")
    assert.ok(part?.type === "text" && part.text.includes("naïve 数学 🚀🇯🇵"))
    assert.equal(texts.get(part.id)?.text, part.text)
    assert.ok(!JSON.stringify(events).includes("\ufffd"))
  })
})

test("a prompt whose answer got lost is one run", async () => {
  const between = await proxy(it.port, (connection) => ({ mute: connection < 2 }))
  await through(between, async () => {
    const sessionID = await session()
    const runtime = createOpenScienceRuntime({ ...it.connection, baseUrl: between.url, retry: RETRY })
    const { runID } = await runtime.prompt({ sessionID, requestID: "lost", effort: "normal", message: "say 2" })
    assert.equal(between.connections(), 3)
    await it.runtime.wait({ sessionID, runID, intervalMs: 20 })
    const { runs } = await it.runtime.snapshot({ sessionID })
    assert.deepEqual(
      runs.map((run) => run.runID),
      [runID],
    )
    assert.equal((await journal(sessionID)).filter((event) => event.type === "runtime.accepted").length, 1)
    const { data } = await it.client.session.messages({ sessionID }, { throwOnError: true })
    assert.equal(data.filter((message) => message.info.role === "user").length, 1)
  })
})

test("a call whose answer never comes is made again after its time, and a wait goes on", async () => {
  const sessionID = await session()
  /** Uses a runtime whose first connection takes requests and gives no answer. */
  const frozen = async <Value>(use: (runtime: OpenScienceRuntime) => Promise<Value>): Promise<Value> => {
    const between = await proxy(it.port, (connection) => (connection === 0 ? { freezeAfter: 0 } : {}))
    const options = { ...it.connection, baseUrl: between.url, retry: RETRY, timeoutMs: 500 }
    const value = await through(between, () => use(createOpenScienceRuntime(options)))
    assert.ok(between.connections() >= 2)
    return value
  }
  const prompt = { sessionID, requestID: "late", effort: "normal", message: "say 2" } as const
  const { runID } = await frozen((runtime) => runtime.prompt(prompt))
  const receipt = await frozen((runtime) => runtime.wait({ sessionID, runID, intervalMs: 20 }))
  assert.equal(receipt.state, "completed")
  assert.equal((await it.runtime.snapshot({ sessionID })).runs.length, 1)
})

test("a stream whose connection dies without a word is taken up again", async () => {
  const between = await proxy(it.port, (connection) => (connection === 0 ? { freezeAfter: 2_000 } : {}))
  await through(between, async () => {
    const sessionID = await session()
    const runtime = createOpenScienceRuntime({ ...it.connection, baseUrl: between.url, retry: RETRY })
    const { runID } = await it.runtime.prompt({ sessionID, effort: "normal", message: "say 30 5" })
    await it.runtime.wait({ sessionID, runID, intervalMs: 20 })
    const errors: string[] = []
    const onConnection = (one: ConnectionState): void =>
      void (one.state === "reconnecting" && errors.push(String(one.error)))
    const events = await collect(runtime.events({ sessionID, afterSequence: 0, idleTimeoutMs: 300, onConnection }))
    assert.deepEqual(events, await journal(sessionID))
    assert.deepEqual(errors, ["OpenScienceConnectionError: GET /runtime/events: nothing came for 300 ms"])
  })
})

test("the end of a run is in the snapshot or comes after it, and is then everywhere", async () => {
  const follow = async (index: number): Promise<void> => {
    const sessionID = await session()
    const { runID } = await it.runtime.prompt({ sessionID, effort: "normal", message: `say ${1 + (index % 3)}` })
    // At another moment of the run each time.
    for (let turn = 0; turn < index; turn += 1) {
      await it.runtime.capabilities()
    }
    for await (const one of it.runtime.observe({ sessionID })) {
      const run = one.type === "snapshot" ? one.snapshot.runs.find((receipt) => receipt.runID === runID) : undefined
      if ((run !== undefined && isFinal(run)) || (one.type === "event" && isFinalEvent(one.event))) {
        break
      }
    }
    const [receipt, snapshot, status] = await Promise.all([
      it.runtime.getRun({ sessionID, runID }),
      it.runtime.snapshot({ sessionID }),
      it.client.session.status({}, { throwOnError: true }),
    ])
    assert.equal(receipt.state, "completed")
    assert.equal(snapshot.runs[0]?.state, "completed")
    assert.equal(status.data[sessionID], undefined, "it is not busy any more")
  }
  await Promise.all(range(0, 23).map(follow))
})

test("a decision and a cancel whose answers got lost are made once", async () => {
  const between = await proxy(it.port, (connection) => ({ mute: connection % 2 === 0 }))
  await through(between, async () => {
    const sessionID = await session()
    const runtime = createOpenScienceRuntime({ ...it.connection, baseUrl: between.url, retry: RETRY })
    const { runID } = await it.runtime.prompt({ sessionID, effort: "normal", message: "ask make\nsay 1000 100" })
    await it.runtime.wait({ sessionID, runID, intervalMs: 20, until: "decision" })
    const [request] = (await it.runtime.snapshot({ sessionID })).permissions
    const receipt = await runtime.decide({ kind: "permission", sessionID, requestID: request?.id ?? "", reply: "once" })
    assert.equal(receipt.requestID, request?.id)
    await runtime.cancel({ sessionID, runID })
    assert.equal((await it.runtime.wait({ sessionID, runID, intervalMs: 20 })).state, "cancelled")
    const replies = (await journal(sessionID)).filter((event) => event.type === "permission.replied")
    assert.equal(replies.length, 1)
  })
})

test("while the daemon cannot be reached the run goes on, and the stream is the same afterwards", async () => {
  const between = await proxy(it.port)
  await through(between, async () => {
    const sessionID = await session()
    const runtime = createOpenScienceRuntime({ ...it.connection, baseUrl: between.url, retry: RETRY })
    const states: ConnectionState["state"][] = []
    const { runID } = await it.runtime.prompt({ sessionID, effort: "normal", message: "say 20 10" })
    const events = runtime.events({ sessionID, afterSequence: 0, onConnection: (one) => states.push(one.state) })
    const first = await events.next()
    between.setUp(false)
    assert.equal((await it.runtime.wait({ sessionID, runID, intervalMs: 20 })).state, "completed")
    between.setUp(true)
    const rest = await collect(events)
    assert.deepEqual([first.value, ...rest], await journal(sessionID))
    assert.ok(states.includes("reconnecting"))
    assert.equal(states.at(-1), "closed")
  })
})

test("an observer that is away for more than the window goes on from a snapshot", async () => {
  const between = await proxy(it.port)
  await through(between, async () => {
    const sessionID = await session()
    const runtime = createOpenScienceRuntime({ ...it.connection, baseUrl: between.url, retry: RETRY })
    const observer = runtime.observe({ sessionID })
    assert.equal((await observer.next()).value?.type, "snapshot")
    await it.runtime.prompt({ sessionID, effort: "normal", message: "say 1" })
    assert.equal((await observer.next()).value?.type, "event")
    between.setUp(false)
    const { runID } = await it.runtime.prompt({ sessionID, effort: "normal", message: "repeat 600 plan look | act" })
    await it.runtime.wait({ sessionID, runID, intervalMs: 50 })
    between.setUp(true)
    // What was read before the cut may still come.
    for (let one = await observer.next(); ; one = await observer.next()) {
      assert.equal(one.done, false)
      if (one.value?.type === "snapshot") {
        assert.equal(one.value.snapshot.runs.at(-1)?.state, "completed")
        break
      }
    }
    observer.close()
  })
})

test("a stream and a wait go on over a crash of the daemon, and the run is told as interrupted", async () => {
  const sessionID = await session()
  const runtime = createOpenScienceRuntime({ ...it.connection, retry: RETRY })
  const { runID } = await runtime.prompt({ sessionID, requestID: "crash", effort: "normal", message: "say 2000 20" })
  const events = runtime.events({ sessionID, afterSequence: 0 })
  const seen: RuntimeEvent[] = []
  for await (const event of { [Symbol.asyncIterator]: () => ({ next: () => events.next() }) }) {
    seen.push(event)
    if (event.type === "message.part.updated" && seen.length > 8) {
      break
    }
  }
  const waiting = runtime.wait({ sessionID, runID, intervalMs: 50 })
  const rest = collect(events)
  const next = await it.restart()
  seen.push(...(await rest))
  assert.deepEqual(sequences(seen), range(1, seen.length))
  const last = seen.at(-1)
  assert.equal(last?.type, "runtime.failed")
  assert.equal(last?.properties["recovered"], true)
  const receipt = await waiting
  assert.equal(receipt.state, "interrupted")
  assert.equal(receipt.error?.code, "runtime_stopped")
  assert.deepEqual(seen, (await next.runtime.replay({ sessionID, afterSequence: 0 })).events)
  const again = await next.runtime.prompt({ sessionID, requestID: "crash", effort: "normal", message: "say 2000 20" })
  assert.equal(again.runID, runID, "the receipt is kept and nothing runs twice")
})
