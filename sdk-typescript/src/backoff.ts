/**
 * How long to wait before the next try?
 *
 * Delays double from a base to a maximum. Each is shortened by up to half of it by chance, so that clients that lost the same
 * daemon do not come back at the same moment.
 */

/** How requests are repeated. */
export interface RetryOptions {
  /** Further tries of one request; 4 if left out. */
  attempts?: number | undefined
  /** First delay in milliseconds; 100 if left out. */
  baseMs?: number | undefined
  /** Longest delay in milliseconds; 30 000 if left out. */
  maxMs?: number | undefined
}

/** The same, checked and filled up. */
export interface Retry {
  readonly attempts: number
  readonly baseMs: number
  readonly maxMs: number
}

/** @throws RangeError if a number cannot be followed. */
export function checkedRetry(options: RetryOptions | false | undefined): Retry {
  const { attempts = 4, baseMs = 100, maxMs = 30_000 } = options === false ? { attempts: 0 } : (options ?? {})
  if (![attempts, baseMs, maxMs].every((value) => typeof value === "number" && value >= 0)) {
    throw new RangeError("retry.attempts, retry.baseMs and retry.maxMs must be numbers and at least 0")
  }
  return { attempts, baseMs, maxMs }
}

/**
 * Milliseconds to wait after so many failures in a row (0 for the first), or what the daemon asked for if that is longer.
 *
 * @param chance a number from 0 up to and without 1.
 */
export function delayMs(
  retry: Retry,
  failures: number,
  askedMs: number | undefined,
  chance: number = Math.random(),
): number {
  const full = Math.min(retry.maxMs, retry.baseMs * 2 ** Math.min(failures, 30))
  return Math.max(Math.round(full * (1 - chance / 2)), askedMs ?? 0)
}

/** Waits. Rejects with the reason of the signal as soon as that is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason)
      return
    }
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, ms)
    signal?.addEventListener("abort", stop, { once: true })
  })
}
