/**
 * Events as an async iterator that can be closed from outside.
 *
 * Nothing is read before it is asked for: who reads slowly slows the connection down and buffers nothing.
 */

/**
 * Events, one after the other.
 *
 * `for await (const event of stream)` reads until the stream ends; `break`, `close()` and an aborted signal all end it, also
 * while an event is being waited for, and the loop then ends without an error. Closing it never touches a run.
 */
export class EventStream<Event> implements AsyncIterableIterator<Event, undefined, undefined> {
  readonly #abort = new AbortController()
  readonly #events: AsyncGenerator<Event, void, undefined>
  readonly #outer: AbortSignal | undefined
  readonly #close = (): void => this.close()

  /**
   * @param start what gives the events; it ends when its signal is aborted.
   * @param signal closes the stream.
   */
  constructor(start: (signal: AbortSignal) => AsyncGenerator<Event, void, undefined>, signal?: AbortSignal) {
    this.#events = start(this.#abort.signal)
    this.#outer = signal
    signal?.addEventListener("abort", this.#close, { once: true })
    if (signal?.aborted === true) {
      this.close()
    }
  }

  /** The next event. */
  async next(): Promise<IteratorResult<Event, undefined>> {
    if (this.closed) {
      return { done: true, value: undefined }
    }
    let result: IteratorResult<Event, void>
    try {
      result = await this.#events.next()
    } catch (error) {
      const wasClosed = this.closed
      this.close()
      if (wasClosed) {
        return { done: true, value: undefined }
      }
      throw error
    }
    if (result.done === true || this.closed) {
      this.close()
      return { done: true, value: undefined }
    }
    return { done: false, value: result.value }
  }

  /** Ends the stream and its connection. May be called at any time and more than once. */
  close(): void {
    if (!this.closed) {
      this.#abort.abort()
      this.#outer?.removeEventListener("abort", this.#close)
      // Runs what the events have to clean up; what they say then concerns nobody.
      this.#events.return().catch(() => undefined)
    }
  }

  /** Whether the stream was closed or has ended. */
  get closed(): boolean {
    return this.#abort.signal.aborted
  }

  /** What `break` in a loop calls: the same as `close()`, and waits until the connection is ended. */
  async return(): Promise<IteratorResult<Event, undefined>> {
    this.close()
    await this.#events.return().catch(() => undefined)
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }
}
