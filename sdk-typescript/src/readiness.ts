/**
 * What a daemon says when it is ready, and whether to believe it.
 *
 * Pure: lines in, address out.
 */

/** The daemon says where it listens. */
export interface Ready {
  /** Origin without a slash at the end. */
  url: string
  /** Absent from the text line of older daemons. */
  pid: number | undefined
  version: string | undefined
}

const TEXT_LINE = /^openscience server listening on (https?:\/\/\S+)/

/**
 * Reads one line of standard output.
 *
 * @returns undefined if the line says nothing about it.
 * @throws Error if it begins like JSON and is none, or says what no daemon of ours says.
 */
export function readLine(line: string, pid: number | undefined): Ready | undefined {
  if (!line.startsWith("{")) {
    const found = TEXT_LINE.exec(line)?.[1]
    return found === undefined ? undefined : { url: checkedOrigin(found), pid: undefined, version: undefined }
  }
  const said = JSON.parse(line) as Record<string, unknown>
  if (said["type"] !== "server.ready") {
    return undefined
  }
  if (said["schemaVersion"] !== 1) {
    throw new Error(`readiness of version ${String(said["schemaVersion"])}, not 1`)
  }
  if (said["pid"] !== pid) {
    throw new Error(`process ${String(said["pid"])} is ready, not ${String(pid)}, which was started`)
  }
  const { url, version } = said
  return {
    url: checkedOrigin(typeof url === "string" ? url : ""),
    pid,
    version: typeof version === "string" ? version : undefined,
  }
}

/** Only this machine is believed: a token would go there. */
function checkedOrigin(text: string): string {
  const url = new URL(text)
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname)
  const isOrigin =
    url.pathname === "/" && url.search === "" && url.hash === "" && url.username === "" && url.password === ""
  if (url.protocol !== "http:" || !isHere || !isOrigin) {
    throw new Error(`it listens at ${text}, which is no address of this machine`)
  }
  return url.origin
}

/** The daemon's own word for why it did not start, if its stderr holds one. */
export function failureCode(stderr: string): string | undefined {
  for (const line of stderr.split("\n").reverse()) {
    const code = /^\{.*"type":"server\.error".*"code":"([a-z0-9_]+)"/.exec(line)?.[1]
    if (code !== undefined) {
      return code
    }
  }
  return undefined
}
