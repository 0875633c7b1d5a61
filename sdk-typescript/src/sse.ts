/**
 * How do bytes become frames of server-sent events?
 *
 * Incremental, for any division of the bytes: inside a character, between CR and LF, one at a time. Memory is bounded by the
 * longest frame that is accepted.
 */

import { OpenScienceProtocolError } from "./errors.js"

/** One frame. */
export interface SseFrame {
  /** Id the frame itself has, if any. */
  id: string | undefined
  /** Its type; `message` if it has none. */
  event: string
  /** Its data lines, joined by line feeds. */
  data: string
}

/** Turns bytes into frames. A frame without its blank line is never given out. */
export class SseParser {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true })
  readonly #maxUnits: number
  /** Pieces of the line that has not ended yet. */
  #open: string[] = []
  #openUnits = 0
  /** The last piece ended in CR: an LF that follows belongs to it. */
  #skipFeed = false
  #data: string[] = []
  #dataUnits = 0
  #event = ""
  #id: string | undefined

  /** @param maxUnits longest frame that is accepted, in UTF-16 units. */
  constructor(maxUnits: number) {
    this.#maxUnits = maxUnits
  }

  /**
   * Takes the next bytes and gives the frames that end in them.
   *
   * @throws OpenScienceProtocolError if they are not UTF-8 or a frame is too long.
   */
  push(bytes: Uint8Array): SseFrame[] {
    const frames: SseFrame[] = []
    let text = this.#decode(bytes)
    if (this.#skipFeed && text !== "") {
      this.#skipFeed = false
      text = text.startsWith("\n") ? text.slice(1) : text
    }
    let start = 0
    for (const end of text.matchAll(/\r\n|\n|\r/g)) {
      const line = this.#ended(text.slice(start, end.index))
      start = end.index + end[0].length
      this.#skipFeed = end[0] === "\r" && start === text.length
      const frame = line === "" ? this.#frame() : this.#field(line)
      if (frame !== undefined) {
        frames.push(frame)
      }
    }
    this.#keep(text.slice(start))
    return frames
  }

  #decode(bytes: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes, { stream: true })
    } catch (error) {
      throw new OpenScienceProtocolError("the event stream is not UTF-8", { cause: error })
    }
  }

  #ended(rest: string): string {
    if (this.#open.length === 0) {
      return rest
    }
    const line = this.#open.join("") + rest
    this.#open = []
    this.#openUnits = 0
    return line
  }

  #keep(rest: string): void {
    if (rest !== "") {
      this.#open.push(rest)
      this.#openUnits += rest.length
      this.#check(this.#openUnits)
    }
  }

  #check(units: number): void {
    if (units + this.#dataUnits > this.#maxUnits) {
      throw new OpenScienceProtocolError(`an event is longer than ${this.#maxUnits} UTF-16 units`)
    }
  }

  #field(line: string): undefined {
    const colon = line.indexOf(":")
    const name = colon === -1 ? line : line.slice(0, colon)
    const rest = colon === -1 ? "" : line.slice(colon + 1)
    const value = rest.startsWith(" ") ? rest.slice(1) : rest
    // A line that begins with a colon has an empty name: a comment.
    if (name === "data") {
      this.#check(value.length)
      this.#data.push(value)
      this.#dataUnits += value.length + 1
    } else if (name === "event") {
      this.#event = value
    } else if (name === "id" && !value.includes("\0")) {
      this.#id = value
    }
    return undefined
  }

  #frame(): SseFrame | undefined {
    const frame = { id: this.#id, event: this.#event === "" ? "message" : this.#event, data: this.#data.join("\n") }
    const isFrame = this.#data.length > 0
    this.#data = []
    this.#dataUnits = 0
    this.#event = ""
    this.#id = undefined
    return isFrame ? frame : undefined
  }
}
