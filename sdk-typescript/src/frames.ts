/**
 * The frames of one connection to an event stream.
 *
 * It is opened when the first frame is asked for, and read only as frames are asked for. It does not come back by itself.
 */

import type { Connection } from "./connection.js"
import { OpenScienceProtocolError } from "./errors.js"
import type { CallOptions, OperationEntry, StreamFrame } from "./operation.js"
import { type Given, type Opened, lost, open, told } from "./request.js"
import { SseParser } from "./sse.js"

/** A daemon writes a comment every five seconds: in this time it left out twelve. */
const DEFAULT_IDLE_MS = 60_000

/** How a stream is read. */
export interface FrameOptions extends CallOptions {
  /** Milliseconds without a byte after which the connection counts as dead; 0 for never. 60 000 if left out. */
  idleTimeoutMs?: number | undefined
  /** Called once the daemon has accepted the stream. */
  onOpen?: (() => void) | undefined
}

/**
 * Opens a stream and gives its frames until the daemon ends it.
 *
 * @throws OpenScienceError if it is refused, is no event stream, is cut off or falls silent.
 */
export async function* openFrames(
  connection: Connection,
  operation: OperationEntry,
  input: Given,
  options: FrameOptions,
): AsyncGenerator<StreamFrame, void, undefined> {
  const { idleTimeoutMs = DEFAULT_IDLE_MS, onOpen, ...call } = options
  const opened = await open(connection, operation, input, call)
  try {
    const type = opened.response.headers.get("content-type") ?? ""
    if (!/^text\/event-stream\s*(;|$)/i.test(type.trim()) || opened.response.body === null) {
      throw new OpenScienceProtocolError(`${told(operation)}: the answer is no event stream`)
    }
    onOpen?.()
    const parser = new SseParser(connection.maxEventBytes)
    for await (const bytes of chunks(operation, opened, idleTimeoutMs)) {
      for (const frame of parser.push(bytes)) {
        yield { id: frame.id, event: frame.event, data: parsed(operation, frame.data) }
      }
    }
  } finally {
    opened.limit.release()
    await opened.response.body?.cancel().catch(() => undefined)
  }
}

/** The bytes of a body, each read when it is asked for. */
async function* chunks(
  operation: OperationEntry,
  opened: Opened,
  idleMs: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { response, limit } = opened
  limit.stopTimer()
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  // Ends a read that waits, also where the body knows nothing of the signal.
  const stop = (): void => void reader.cancel().catch(() => undefined)
  limit.signal.addEventListener("abort", stop, { once: true })
  try {
    for (;;) {
      const result = await readWithin(reader, idleMs)
      limit.signal.throwIfAborted()
      if (result.done) {
        return
      }
      yield result.value
    }
  } catch (error) {
    throw limit.signal.aborted ? limit.signal.reason : lost(operation, error)
  } finally {
    limit.signal.removeEventListener("abort", stop)
    await reader.cancel().catch(() => undefined)
    reader.releaseLock()
  }
}

async function readWithin(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  idleMs: number,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  if (idleMs <= 0 || idleMs >= 2 ** 31) {
    return reader.read()
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came for ${idleMs} ms`)), idleMs)
  })
  try {
    return await Promise.race([reader.read(), silence])
  } finally {
    clearTimeout(timer)
  }
}

function parsed(operation: OperationEntry, data: string): unknown {
  try {
    return JSON.parse(data)
  } catch (error) {
    throw new OpenScienceProtocolError(`${told(operation)}: the data of an event is no JSON`, { cause: error })
  }
}
