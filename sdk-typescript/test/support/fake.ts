/** A `fetch` that answers as it is told to and keeps what it was asked. */

export interface Asked {
  method: string
  url: URL
  headers: Headers
  body: unknown
  signal: AbortSignal | undefined
}

export type Answer = Response | Error | Promise<Response> | ((asked: Asked) => Response | Promise<Response>)

/** Answers in order; the last one for ever. */
export function fake(...answers: Answer[]): { fetch: typeof globalThis.fetch; asked: Asked[] } {
  const asked: Asked[] = []
  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const one: Asked = {
      method: init.method ?? "GET",
      url: new URL(String(input)),
      headers: new Headers(init.headers),
      body: typeof init.body === "string" ? JSON.parse(init.body) : (init.body ?? undefined),
      signal: init.signal ?? undefined,
    }
    one.signal?.throwIfAborted()
    const answer = answers[Math.min(asked.length, answers.length - 1)]
    asked.push(one)
    if (answer === undefined) {
      throw new TypeError("nothing was prepared")
    }
    if (answer instanceof Error) {
      throw answer
    }
    return typeof answer === "function" ? answer(one) : answer
  }
  return { fetch, asked }
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } })
}

/** A stream of text that ends, breaks off with an error, or stays open until it is cancelled. */
export function stream(
  texts: readonly string[],
  end: "end" | "break" | "open" = "end",
  onCancel?: () => void,
): Response {
  const encoder = new TextEncoder()
  let next = 0
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: (controller) => {
        const text = texts[next]
        next += 1
        if (text !== undefined) {
          controller.enqueue(encoder.encode(text))
        } else if (end === "end") {
          controller.close()
        } else if (end === "break") {
          controller.error(new TypeError("terminated"))
        }
      },
      ...(onCancel === undefined ? {} : { cancel: onCancel }),
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } })
}

/** A frame as the daemon writes it. */
export function frame(
  sequence: number,
  sessionID = "ses_1",
  type = "session.idle",
  properties: object = { sessionID },
): string {
  const event = { sequence, sessionID, runID: "run_1", type, kind: "system", properties, time: 1 }
  return `id: ${sequence}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`
}
