/**
 * The TypeScript client of the openscience daemon, for Node 20 or newer and browsers.
 *
 * `createOpenScienceRuntime` for prompts, receipts, decisions and events; `createOpenScienceClient` for every other operation.
 * Starting a daemon is in `@openscience/sdk/server`, which is for Node only.
 */

export type { RetryOptions } from "./backoff.js"
export { type ClientOptions, type OpenScienceClient, createOpenScienceClient } from "./client.js"
export type { ConnectionOptions } from "./connection.js"
export {
  type CursorReason,
  OpenScienceConnectionError,
  OpenScienceError,
  OpenScienceHttpError,
  OpenScienceProtocolError,
  OpenScienceTimeoutError,
  RuntimeEventCursorError,
  isTransient,
} from "./errors.js"
export { type EventPart, type EventProperties, type KnownEvent, isEvent, isFinalEvent } from "./event.js"
export type { ConnectionState, FollowOptions } from "./follow.js"
export * from "./generated/constants.js"
export { OPERATIONS } from "./generated/operations.js"
export type * from "./generated/types.js"
export type {
  Bytes,
  CallOptions,
  Failure,
  OperationEntry,
  OperationID,
  Result,
  ReturningOptions,
  StreamFrame,
  Success,
  ThrowingOptions,
} from "./operation.js"
export {
  type EventsOptions,
  type Observation,
  type ObserveOptions,
  OpenScienceRuntime,
  type ReplayQuery,
  type RunQuery,
  type WaitOptions,
  createOpenScienceRuntime,
} from "./runtime.js"
export { type SseFrame, SseParser } from "./sse.js"
export { EVENT_RETENTION, FINAL_EVENT_TYPES, FINAL_RUN_STATES, PROTOCOL_VERSION, isFinal } from "./states.js"
export { EventStream } from "./stream.js"
export { type PartText, PartTexts } from "./text.js"
