/** Reading streams in tests. */

import type { RuntimeEvent } from "@openscience/sdk"

/** Events up to and with the first that ends a run, or that is asked for. */
export async function collect(
  events: AsyncIterable<RuntimeEvent>,
  isLast: (event: RuntimeEvent) => boolean = (event) => /^runtime\.(completed|failed|cancelled)$/.test(event.type),
): Promise<RuntimeEvent[]> {
  const all: RuntimeEvent[] = []
  for await (const event of events) {
    all.push(event)
    if (isLast(event)) {
      break
    }
  }
  return all
}

export function sequences(events: readonly RuntimeEvent[]): number[] {
  return events.map((event) => event.sequence)
}

/** From one number to another. */
export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}

/** Numbers between 0 and 1 that are the same for the same seed. */
export function chance(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
}
