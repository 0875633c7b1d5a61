/**
 * When does a call end though it has no answer?
 *
 * Joins the caller's signal and a time limit into one signal, and lets go of both afterwards: signals of callers may live as
 * long as their program.
 */

import { OpenScienceTimeoutError } from "./errors.js"

/** A signal that is aborted by others or by time. */
export interface Limited {
  readonly signal: AbortSignal
  /** Ends the limit of time; the signals go on to count. */
  stopTimer(): void
  /** Lets go of everything. */
  release(): void
}

/**
 * @param timeoutMs limit; 0 or Infinity for none.
 * @param what what is limited, for the message.
 */
export function limited(signals: readonly (AbortSignal | undefined)[], timeoutMs: number, what: string): Limited {
  const controller = new AbortController()
  const sources = signals.filter((signal) => signal !== undefined)
  const follow = (event: Event): void => controller.abort((event.target as AbortSignal).reason)
  for (const source of sources) {
    source.addEventListener("abort", follow, { once: true })
    if (source.aborted) {
      controller.abort(source.reason)
    }
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  const stopTimer = (): void => clearTimeout(timer)
  // Timers take at most 2^31 - 1 milliseconds.
  if (timeoutMs > 0 && timeoutMs < 2 ** 31 && !controller.signal.aborted) {
    timer = setTimeout(() => controller.abort(new OpenScienceTimeoutError(timeoutMs, what)), timeoutMs)
  }
  return {
    signal: controller.signal,
    stopTimer,
    release: () => {
      stopTimer()
      for (const source of sources) {
        source.removeEventListener("abort", follow)
      }
    },
  }
}
