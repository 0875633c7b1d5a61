/** Files that are sent and fetched, over real connections: as they come, whole, and ended by their caller. */

import assert from "node:assert/strict"
import { once } from "node:events"
import { type IncomingMessage, type ServerResponse, createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { after, before, test } from "node:test"

import { connect } from "../src/connection.js"
import { OpenScienceHttpError } from "../src/errors.js"
import type { OperationEntry } from "../src/operation.js"
import { request } from "../src/request.js"

const UPLOAD: OperationEntry = {
  method: "POST",
  path: "/upload",
  paths: {},
  queries: { filename: "filename" },
  headers: {},
  body: { form: "bytes", type: "application/octet-stream" },
  answer: "json",
}
const DOWNLOAD: OperationEntry = {
  method: "GET",
  path: "/file/{id}",
  paths: { fileID: "id" },
  queries: {},
  headers: { range: "Range" },
  body: { form: "none" },
  answer: "bytes",
}

/** Answers an upload with what came, and a download with bytes that never end. */
async function serve(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
  if (asked.method === "POST") {
    const pieces: Buffer[] = []
    for await (const piece of asked) {
      pieces.push(piece as Buffer)
    }
    const bytes = Buffer.concat(pieces)
    answer.setHeader("content-type", "application/json")
    answer.end(
      JSON.stringify({
        size: bytes.length,
        sum: bytes.reduce((sum, byte) => (sum + byte) % 65_521, 0),
        type: asked.headers["content-type"],
      }),
    )
  } else if (asked.url === "/file/refused") {
    answer.statusCode = 404
    answer.end(JSON.stringify({ error: "not_found", code: "upload_not_found", message: "no" }))
  } else {
    answer.writeHead(206, { "content-type": "image/png", "x-range": String(asked.headers.range) })
    answer.write("the beginning")
  }
}

const server = createServer((asked, answer) => void serve(asked, answer))

before(() => once(server.listen(0, "127.0.0.1"), "listening"))
after(() => {
  server.closeAllConnections()
  server.close()
})

const connection = (): ReturnType<typeof connect> =>
  connect({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }, 0)

test("bytes are sent as they are, whatever holds them", async () => {
  const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 256)
  const sum = bytes.reduce((total, byte) => (total + byte) % 65_521, 0)
  const pieces = (): ReadableStream<Uint8Array<ArrayBuffer>> => {
    let at = 0
    return new ReadableStream({
      pull: (controller) => {
        if (at >= bytes.length) {
          controller.close()
        } else {
          controller.enqueue(bytes.slice(at, at + 10_000))
          at += 10_000
        }
      },
    })
  }
  for (const body of [bytes, bytes.buffer, new Blob([bytes], { type: "text/plain" }), pieces()]) {
    const { data } = await request(connection(), UPLOAD, { filename: "ü", body })
    assert.deepEqual(data, { size: bytes.length, sum, type: "application/octet-stream" })
  }
})

test("a file is fetched with its body unread, and ends with the signal of its caller", async () => {
  const controller = new AbortController()
  const { data, response } = await request(
    connection(),
    DOWNLOAD,
    { fileID: "a", range: "bytes=5-" },
    { signal: controller.signal, timeoutMs: 5_000 },
  )
  assert.equal(data, response)
  assert.equal(response.status, 206)
  assert.equal(response.headers.get("x-range"), "bytes=5-")
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  assert.equal(new TextDecoder().decode((await reader.read()).value), "the beginning")
  const rest = reader.read()
  controller.abort(new Error("enough"))
  await assert.rejects(rest)
})

test("a file that is refused is told like anything else", async () => {
  await assert.rejects(request(connection(), DOWNLOAD, { fileID: "refused" }), (error) => {
    assert.ok(error instanceof OpenScienceHttpError && error.code === "upload_not_found")
    return true
  })
})
