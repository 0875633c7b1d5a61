/**
 * What does a call of an operation take and give?
 *
 * Types that turn the shapes of the OpenAPI document into signatures, for the interfaces in generated/operations.ts. Nothing
 * here is sent or read.
 */

import type { OpenScienceError } from "./errors.js"
import type { operations as Shapes } from "./generated/schema.js"
import type { EventStream } from "./stream.js"

/** Id of an operation, such as `session.create`. */
export type OperationID = keyof Shapes

/** Where an operation is and how it is called. */
export interface OperationEntry {
  readonly method: string
  /** Path with `{name}` for each path parameter. */
  readonly path: string
  /** Members of the input that stand in the path, with their names there. */
  readonly paths: Readonly<Record<string, string>>
  /** Members of the input that stand in the query, with their names there. */
  readonly queries: Readonly<Record<string, string>>
  /** Members of the input that are sent as headers, with the names of those. */
  readonly headers: Readonly<Record<string, string>>
  /** `members`: all other members of the input, as JSON. `json` and `bytes`: the member `body`. */
  readonly body: { readonly form: "none" } | { readonly form: "members" | "json" | "bytes"; readonly type: string }
  /** How the answer is read. */
  readonly answer: "json" | "text" | "bytes" | "stream" | "none"
}

export type OperationTable = Readonly<Record<OperationID, OperationEntry>>

/** Bytes to send. A stream is sent as it comes. */
export type Bytes = Uint8Array<ArrayBuffer> | ArrayBuffer | Blob | string | ReadableStream<Uint8Array<ArrayBuffer>>

/** How one call is made, besides its input. */
export interface CallOptions {
  /** Ends the call; it then rejects with the reason of the signal. */
  signal?: AbortSignal | undefined
  /** Milliseconds until the call fails with `OpenScienceTimeoutError`; 0 for no limit. The client's, if left out. */
  timeoutMs?: number | undefined
  /** Further headers of this call; they win over those of the client. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Absolute directory of the project, instead of the client's. */
  directory?: string | undefined
  /** Id of the project (`prj_…`), instead of the client's. */
  project?: string | undefined
}

/** A call that rejects when the daemon refuses. */
export interface ThrowingOptions extends CallOptions {
  throwOnError: true
}

/** A call that resolves to the refusal. */
export interface ReturningOptions extends CallOptions {
  throwOnError?: boolean | undefined
}

/** What a call that succeeded gives. */
export interface Success<Data> {
  data: Data
  error?: undefined
  /** The answer itself: status and headers, such as `x-next-cursor`. */
  response: Response
}

/** What a call that did not succeed gives. */
export interface Failure {
  data?: undefined
  error: OpenScienceError
  /** Absent if there was no answer. */
  response?: Response | undefined
}

export type Result<Data> = Success<Data> | Failure

type Given<T> = [T] extends [never] ? Record<never, never> : T
type Place<Id extends OperationID, At extends "path" | "query" | "header"> = Given<
  NonNullable<Shapes[Id]["parameters"][At]>
>
/** The parameters that are named, under the names callers use. */
type Renamed<Parameters, Names> = {
  [Wire in keyof Parameters as Wire extends keyof Names ? Extract<Names[Wire], string> : never]: Parameters[Wire]
}
type JsonContent<Body> = NonNullable<Body> extends { content: { "application/json": infer Content } } ? Content : never
type BodyOf<Id extends OperationID> = Shapes[Id] extends { requestBody?: infer Body } ? JsonContent<Body> : never
type Sent<Id extends OperationID, Form extends string> = {
  none: Record<never, never>
  members: BodyOf<Id>
  "members?": Partial<BodyOf<Id>>
  json: { body: BodyOf<Id> }
  "json?": { body?: BodyOf<Id> }
  bytes: { body: Bytes }
  "bytes?": { body?: Bytes }
}[Extract<Form, "none" | "members" | "members?" | "json" | "json?" | "bytes" | "bytes?">]

/** The flat input of an operation: its parameters under their names here, and its body. */
export type Input<Id extends OperationID, Paths, Queries, Headers, Form extends string> = Renamed<
  Place<Id, "path">,
  Paths
> &
  Renamed<Place<Id, "query">, Queries> &
  Renamed<Place<Id, "header">, Headers> &
  Sent<Id, Form>

type Responses<Id extends OperationID> = Shapes[Id] extends { responses: infer All } ? All : never
type Succeeding = 200 | 201 | 202 | 203 | 204 | 205 | 206
type DataOf<Answer> = Answer extends { content: { "application/json": infer Data } } ? Data : undefined
/** The JSON an operation answers with. */
export type Data<Id extends OperationID> = {
  [Status in Extract<keyof Responses<Id>, Succeeding>]: DataOf<Responses<Id>[Status]>
}[Extract<keyof Responses<Id>, Succeeding>]

type StreamedOf<Answer> = Answer extends { content: { "text/event-stream": infer Data } } ? Data : never
type Streamed<Id extends OperationID> = {
  [Status in Extract<keyof Responses<Id>, Succeeding>]: StreamedOf<Responses<Id>[Status]>
}[Extract<keyof Responses<Id>, Succeeding>]
/** What the frames of a stream hold; unknown where the document only says that it is text. */
export type StreamData<Id extends OperationID> = [Streamed<Id>] extends [string] ? unknown : Streamed<Id>

type Arguments<Given, Options> =
  Record<never, never> extends Given ? [input?: Given, options?: Options] : [input: Given, options?: Options]
type Demanding<Given, Options> =
  Record<never, never> extends Given ? [input: Given | undefined, options: Options] : [input: Given, options: Options]

interface Call<Given, Result_> {
  (...given: Demanding<Given, ThrowingOptions>): Promise<Success<Result_>>
  (...given: Arguments<Given, ReturningOptions>): Promise<Result<Result_>>
}

/** An operation that answers JSON. */
export type JsonCall<Given, Id extends OperationID> = Call<Given, Data<Id>>
/** An operation that answers text. */
export type TextCall<Given> = Call<Given, string>
/** An operation that answers without a body. */
export type NoCall<Given> = Call<Given, undefined>
/** An operation that answers bytes: `data` is the response, its body unread. */
export type BytesCall<Given> = Call<Given, Response>

/** One frame of a stream of the daemon, with its data parsed. */
export interface StreamFrame<Parsed = unknown> {
  /** Id of the frame, if it has one. */
  id?: string | undefined
  /** Type of the frame; `message` if it has none. */
  event: string
  data: Parsed
}

/**
 * An operation that answers a stream: one connection, which ends when the daemon ends it. It is opened when the first frame
 * is asked for, and a refusal is thrown there.
 */
export type StreamCall<Given, Id extends OperationID> = (
  ...given: Arguments<Given, CallOptions>
) => EventStream<StreamFrame<StreamData<Id>>>
