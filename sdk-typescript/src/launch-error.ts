/** Why a daemon could not be started or ended. */

import { OpenScienceError } from "./errors.js"

/** What kind of failure it was. */
export type ServerFailure =
  /** The program could not be run. */
  | "not_started"
  /** It ended before it was ready. */
  | "exited"
  /** It was not ready in time. */
  | "timeout"
  /** It said something that no daemon says. */
  | "not_understood"
  /** It did not end although it was killed. */
  | "not_ended"

/** A daemon could not be started or ended; none of it is left running, unless `failure` is `not_ended`. */
export class OpenScienceServerError extends OpenScienceError {
  constructor(
    readonly failure: ServerFailure,
    message: string,
    /** The end of what it wrote to stderr. */
    readonly stderr: string,
    /** Its own word for why it did not start, such as `port_in_use`, if it told. */
    readonly code: string | undefined,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
