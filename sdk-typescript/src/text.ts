/**
 * What does a part say by now?
 *
 * Puts the growth that events tell together. It holds texts and nothing else.
 */

import { isEvent } from "./event.js"
import type { Message, RuntimeEvent } from "./generated/types.js"

/** The text of one part. */
export interface PartText {
  partID: string
  messageID: string
  /** `text` or `reasoning`. */
  type: string
  text: string
  /** False if a stretch of it was never seen: read the message. */
  complete: boolean
}

/**
 * The texts of parts, from events in order. Following from the middle of a run, `load` its messages first: events tell only
 * what was added.
 */
export class PartTexts {
  readonly #texts = new Map<string, PartText>()

  /** Takes what a transcript says. */
  load(messages: readonly Message[]): void {
    for (const part of messages.flatMap((message) => message.parts)) {
      if (part.type === "text" || part.type === "reasoning") {
        this.#texts.set(part.id, {
          partID: part.id,
          messageID: part.messageID,
          type: part.type,
          text: part.text,
          complete: true,
        })
      }
    }
  }

  /** Takes an event; the text it changed, if it changed one. An event may be applied again. */
  apply(event: RuntimeEvent): PartText | undefined {
    if (!isEvent(event, "message.part.updated")) {
      return undefined
    }
    const { part, delta, offset } = event.properties
    if (part.type !== "text" && part.type !== "reasoning") {
      return undefined
    }
    const known = this.#texts.get(part.id)
    const { text, complete } = grown(known, { text: part.text, textLength: part.textLength, delta, offset })
    const now: PartText = { partID: part.id, messageID: part.messageID, type: part.type, text, complete }
    this.#texts.set(part.id, now)
    return now
  }

  /** The text of a part, if any was seen. */
  get(partID: string): PartText | undefined {
    return this.#texts.get(partID)
  }

  /** Forgets a part. */
  delete(partID: string): void {
    this.#texts.delete(partID)
  }
}

interface Growth {
  text?: string | undefined
  textLength?: number | undefined
  delta?: string | undefined
  offset?: number | undefined
}

function grown(known: PartText | undefined, growth: Growth): { text: string; complete: boolean } {
  if (growth.text !== undefined) {
    return { text: growth.text, complete: true }
  }
  const before = known?.text ?? ""
  const complete = known?.complete ?? true
  if (growth.delta === undefined || growth.offset === undefined) {
    return { text: before, complete: complete && (growth.textLength ?? before.length) === before.length }
  }
  const { delta, offset } = growth
  if (offset > before.length) {
    return { text: before + delta, complete: false }
  }
  // What was applied before stays as it is: a snapshot may know more than the event.
  const isKnown = before.length >= offset + delta.length
  return { text: isKnown ? before : before.slice(0, offset) + delta, complete }
}
