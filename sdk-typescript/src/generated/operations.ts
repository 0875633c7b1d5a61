// Written by scripts/generate.mjs from openapi/openscience.json and docs/. Do not edit: npm run generate.

import type * as Of from "../operation.js"

/** Each operation of the OpenAPI document: where it is and how it is called. */
export const OPERATIONS = {
  "agent.authenticate": {
    method: "POST",
    path: "/agent/{id}/authenticate",
    paths: { agentID: "id" },
    queries: {},
    headers: {},
    body: { form: "members", type: "application/json" },
    answer: "json",
  },
  "agent.connections": {
    method: "GET",
    path: "/agent/connection",
    paths: {},
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "agent.disconnect": {
    method: "DELETE",
    path: "/agent/connection/{id}",
    paths: { connectionID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "agent.get": {
    method: "GET",
    path: "/agent/{id}",
    paths: { agentID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "agent.list": {
    method: "GET",
    path: "/agent",
    paths: {},
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "artifact.finalize": {
    method: "POST",
    path: "/artifact/finalize",
    paths: {},
    queries: {},
    headers: {},
    body: { form: "members", type: "application/json" },
    answer: "json",
  },
  "artifact.list": {
    method: "GET",
    path: "/session/{id}/artifact",
    paths: { sessionID: "id" },
    queries: { limit: "limit", after: "after" },
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "artifact.preview": {
    method: "GET",
    path: "/artifact/{id}/preview",
    paths: { artifactID: "id" },
    queries: { versionID: "versionID", offset: "offset", maxBytes: "maxBytes", encoding: "encoding" },
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "artifact.raw": {
    method: "GET",
    path: "/artifact/{id}/raw",
    paths: { artifactID: "id" },
    queries: { versionID: "versionID", download: "download" },
    headers: {},
    body: { form: "none" },
    answer: "bytes",
  },
  "event.subscribe": {
    method: "GET",
    path: "/event",
    paths: {},
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "stream",
  },
  "file.delete": {
    method: "DELETE",
    path: "/file/upload/{id}",
    paths: { uploadID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "file.get": {
    method: "GET",
    path: "/file/upload/{id}",
    paths: { uploadID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "file.preview": {
    method: "GET",
    path: "/file/upload/{id}/preview",
    paths: { uploadID: "id" },
    queries: { offset: "offset", maxBytes: "maxBytes", encoding: "encoding" },
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "file.resume": {
    method: "PUT",
    path: "/file/upload/{id}",
    paths: { uploadID: "id" },
    queries: { offset: "offset" },
    headers: {},
    body: { form: "bytes", type: "application/octet-stream" },
    answer: "json",
  },
  "file.upload": {
    method: "POST",
    path: "/file/upload",
    paths: {},
    queries: { filename: "filename", mime: "mime", size: "size" },
    headers: {},
    body: { form: "bytes", type: "application/octet-stream" },
    answer: "json",
  },
  "file.uploads": {
    method: "GET",
    path: "/file/upload",
    paths: {},
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "global.doc": {
    method: "GET",
    path: "/doc",
    paths: {},
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "global.event": {
    method: "GET",
    path: "/global/event",
    paths: {},
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "stream",
  },
  "global.health": {
    method: "GET",
    path: "/global/health",
    paths: {},
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "global.metrics": {
    method: "GET",
    path: "/metrics",
    paths: {},
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "text",
  },
  "permission.list": {
    method: "GET",
    path: "/permission",
    paths: {},
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "permission.reply": {
    method: "POST",
    path: "/permission/{id}/reply",
    paths: { permissionID: "id" },
    queries: {},
    headers: {},
    body: { form: "members", type: "application/json" },
    answer: "json",
  },
  "permission.revoke": {
    method: "DELETE",
    path: "/permission/standing/{id}",
    paths: { standingID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "permission.standing": {
    method: "GET",
    path: "/permission/standing",
    paths: {},
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "project.current": {
    method: "GET",
    path: "/project/current",
    paths: {},
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "project.list": {
    method: "GET",
    path: "/project",
    paths: {},
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "question.list": {
    method: "GET",
    path: "/question",
    paths: {},
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "question.reject": {
    method: "POST",
    path: "/question/{id}/reject",
    paths: { questionID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "question.reply": {
    method: "POST",
    path: "/question/{id}/reply",
    paths: { questionID: "id" },
    queries: {},
    headers: {},
    body: { form: "members", type: "application/json" },
    answer: "json",
  },
  "queue.clear": {
    method: "DELETE",
    path: "/session/{id}/queue",
    paths: { sessionID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "queue.get": {
    method: "GET",
    path: "/session/{id}/queue/{turnID}",
    paths: { sessionID: "id", turnID: "turnID" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "queue.list": {
    method: "GET",
    path: "/session/{id}/queue",
    paths: { sessionID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "queue.send": {
    method: "POST",
    path: "/session/{id}/queue/{turnID}/send-now",
    paths: { sessionID: "id", turnID: "turnID" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "queue.set": {
    method: "PUT",
    path: "/session/{id}/queue",
    paths: { sessionID: "id" },
    queries: {},
    headers: {},
    body: { form: "members", type: "application/json" },
    answer: "json",
  },
  "queue.withdraw": {
    method: "DELETE",
    path: "/session/{id}/queue/{turnID}",
    paths: { sessionID: "id", turnID: "turnID" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "results.declare": {
    method: "POST",
    path: "/file/artifact",
    paths: {},
    queries: {},
    headers: {},
    body: { form: "members", type: "application/json" },
    answer: "json",
  },
  "results.get": {
    method: "GET",
    path: "/file/artifact-store/{id}",
    paths: { artifactStoreID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "results.list": {
    method: "GET",
    path: "/file/artifact-store",
    paths: {},
    queries: { state: "state" },
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "results.raw": {
    method: "GET",
    path: "/file/artifact-store/{id}/raw",
    paths: { artifactStoreID: "id" },
    queries: { versionID: "versionID", download: "download" },
    headers: {},
    body: { form: "none" },
    answer: "bytes",
  },
  "results.restore": {
    method: "POST",
    path: "/file/artifact-store/{id}/restore",
    paths: { artifactStoreID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "results.trash": {
    method: "DELETE",
    path: "/file/artifact-store/{id}",
    paths: { artifactStoreID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "results.update": {
    method: "PATCH",
    path: "/file/artifact-store/{id}",
    paths: { artifactStoreID: "id" },
    queries: {},
    headers: {},
    body: { form: "members", type: "application/json" },
    answer: "json",
  },
  "runtime.cancel": {
    method: "POST",
    path: "/runtime/cancel",
    paths: {},
    queries: {},
    headers: {},
    body: { form: "members", type: "application/json" },
    answer: "json",
  },
  "runtime.capabilities": {
    method: "GET",
    path: "/runtime/capabilities",
    paths: {},
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "runtime.decide": {
    method: "POST",
    path: "/runtime/decision",
    paths: {},
    queries: {},
    headers: {},
    body: { form: "members", type: "application/json" },
    answer: "json",
  },
  "runtime.events": {
    method: "GET",
    path: "/runtime/events",
    paths: {},
    queries: { sessionID: "sessionID", afterSequence: "afterSequence" },
    headers: { lastEventID: "Last-Event-ID" },
    body: { form: "none" },
    answer: "stream",
  },
  "runtime.prompt": {
    method: "POST",
    path: "/runtime/prompt",
    paths: {},
    queries: {},
    headers: {},
    body: { form: "members", type: "application/json" },
    answer: "json",
  },
  "runtime.replay": {
    method: "GET",
    path: "/runtime/events/replay",
    paths: {},
    queries: { sessionID: "sessionID", afterSequence: "afterSequence" },
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "runtime.run": {
    method: "GET",
    path: "/runtime/run",
    paths: {},
    queries: { sessionID: "sessionID", runID: "runID", turnID: "turnID" },
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "runtime.snapshot": {
    method: "GET",
    path: "/runtime/snapshot",
    paths: {},
    queries: { sessionID: "sessionID" },
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "session.abort": {
    method: "POST",
    path: "/session/{id}/abort",
    paths: { sessionID: "id" },
    queries: {},
    headers: { abortSource: "x-openscience-abort-source" },
    body: { form: "none" },
    answer: "json",
  },
  "session.agent": {
    method: "GET",
    path: "/session/{id}/agent",
    paths: { sessionID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "session.children": {
    method: "GET",
    path: "/session/{id}/children",
    paths: { sessionID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "session.close": {
    method: "POST",
    path: "/session/{id}/close",
    paths: { sessionID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "session.config": {
    method: "POST",
    path: "/session/{id}/agent/config",
    paths: { sessionID: "id" },
    queries: {},
    headers: {},
    body: { form: "members", type: "application/json" },
    answer: "json",
  },
  "session.create": {
    method: "POST",
    path: "/session",
    paths: {},
    queries: {},
    headers: {},
    body: { form: "members", type: "application/json" },
    answer: "json",
  },
  "session.delete": {
    method: "DELETE",
    path: "/session/{id}",
    paths: { sessionID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "session.fork": {
    method: "POST",
    path: "/session/{id}/fork",
    paths: { sessionID: "id" },
    queries: {},
    headers: {},
    body: { form: "members", type: "application/json" },
    answer: "json",
  },
  "session.get": {
    method: "GET",
    path: "/session/{id}",
    paths: { sessionID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "session.list": {
    method: "GET",
    path: "/session",
    paths: {},
    queries: { roots: "roots", start: "start", search: "search", limit: "limit", before: "before", source: "source", agent: "agent", cursor: "cursor" },
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "session.load": {
    method: "POST",
    path: "/session/{id}/load",
    paths: { sessionID: "id" },
    queries: {},
    headers: {},
    body: { form: "json", type: "application/json" },
    answer: "json",
  },
  "session.message": {
    method: "GET",
    path: "/session/{id}/message/{messageID}",
    paths: { sessionID: "id", messageID: "messageID" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "session.messages": {
    method: "GET",
    path: "/session/{id}/message",
    paths: { sessionID: "id" },
    queries: { limit: "limit" },
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "session.mode": {
    method: "POST",
    path: "/session/{id}/agent/mode",
    paths: { sessionID: "id" },
    queries: {},
    headers: {},
    body: { form: "members", type: "application/json" },
    answer: "json",
  },
  "session.resume": {
    method: "POST",
    path: "/session/{id}/resume",
    paths: { sessionID: "id" },
    queries: {},
    headers: {},
    body: { form: "json", type: "application/json" },
    answer: "json",
  },
  "session.status": {
    method: "GET",
    path: "/session/status",
    paths: {},
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "session.todo": {
    method: "GET",
    path: "/session/{id}/todo",
    paths: { sessionID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "session.update": {
    method: "PATCH",
    path: "/session/{id}",
    paths: { sessionID: "id" },
    queries: {},
    headers: {},
    body: { form: "members", type: "application/json" },
    answer: "json",
  },
  "settings.jobs": {
    method: "GET",
    path: "/settings/compute/jobs",
    paths: {},
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "state.diffs": {
    method: "GET",
    path: "/session/{id}/state/diffs",
    paths: { sessionID: "id" },
    queries: { path: "path" },
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "state.events": {
    method: "GET",
    path: "/session/{id}/state/events",
    paths: { sessionID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "stream",
  },
  "state.get": {
    method: "GET",
    path: "/session/{id}/state",
    paths: { sessionID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "state.kill": {
    method: "POST",
    path: "/session/{id}/state/terminals/{terminalID}/kill",
    paths: { sessionID: "id", terminalID: "terminalID" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "state.metadata": {
    method: "GET",
    path: "/session/{id}/state/metadata",
    paths: { sessionID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "state.operation": {
    method: "GET",
    path: "/session/{id}/state/operations/{operationID}",
    paths: { sessionID: "id", operationID: "operationID" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "state.operations": {
    method: "GET",
    path: "/session/{id}/state/operations",
    paths: { sessionID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "state.permission": {
    method: "GET",
    path: "/session/{id}/state/permissions/{requestID}",
    paths: { sessionID: "id", requestID: "requestID" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "state.permissions": {
    method: "GET",
    path: "/session/{id}/state/permissions",
    paths: { sessionID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "state.refresh": {
    method: "POST",
    path: "/session/{id}/state/terminals/{terminalID}/refresh",
    paths: { sessionID: "id", terminalID: "terminalID" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "state.release": {
    method: "POST",
    path: "/session/{id}/state/terminals/{terminalID}/release",
    paths: { sessionID: "id", terminalID: "terminalID" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "state.terminal": {
    method: "GET",
    path: "/session/{id}/state/terminals/{terminalID}",
    paths: { sessionID: "id", terminalID: "terminalID" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "state.terminals": {
    method: "GET",
    path: "/session/{id}/state/terminals",
    paths: { sessionID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "state.threads": {
    method: "GET",
    path: "/session/{id}/state/threads",
    paths: { sessionID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "state.toolcall": {
    method: "GET",
    path: "/session/{id}/state/tool-calls/{toolCallID}",
    paths: { sessionID: "id", toolCallID: "toolCallID" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "state.toolcalls": {
    method: "GET",
    path: "/session/{id}/state/tool-calls",
    paths: { sessionID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "state.usage": {
    method: "GET",
    path: "/session/{id}/state/usage",
    paths: { sessionID: "id" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "state.wait": {
    method: "POST",
    path: "/session/{id}/state/terminals/{terminalID}/wait",
    paths: { sessionID: "id", terminalID: "terminalID" },
    queries: { timeoutMs: "timeoutMs" },
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
  "turn.cancel": {
    method: "POST",
    path: "/session/{id}/turn/{turnID}/cancel",
    paths: { sessionID: "id", turnID: "turnID" },
    queries: {},
    headers: {},
    body: { form: "none" },
    answer: "json",
  },
} as const satisfies Of.OperationTable

/** All operations, by group. */
export interface Operations {
  /** Operations of `agent`. */
  agent: AgentOperations
  /** Operations of `artifact`. */
  artifact: ArtifactOperations
  /** Operations of `event`. */
  event: EventOperations
  /** Operations of `file`. */
  file: FileOperations
  /** Operations of `global`. */
  global: GlobalOperations
  /** Operations of `permission`. */
  permission: PermissionOperations
  /** Operations of `project`. */
  project: ProjectOperations
  /** Operations of `question`. */
  question: QuestionOperations
  /** Operations of `queue`. */
  queue: QueueOperations
  /** Operations of `results`. */
  results: ResultsOperations
  /** Operations of `runtime`. */
  runtime: RuntimeOperations
  /** Operations of `session`. */
  session: SessionOperations
  /** Operations of `settings`. */
  settings: SettingsOperations
  /** Operations of `state`. */
  state: StateOperations
  /** Operations of `turn`. */
  turn: TurnOperations
}

/** Operations of `agent`. */
export interface AgentOperations {
  /**
   * Log in to an agent.
   *
   * Only what the agent does alone is done. Where a person has to run a program or set variables the answer
   * is 409 and `data` says which; end the agent's processes afterwards, so that they start anew.
   *
   * `POST /agent/{id}/authenticate`
   *
   * Takes
   * - `agentID`
   * - and the members of the body
   *
   * Answers
   * - 200: The way that was taken.
   *
   * Refused with
   * - 400: invalid_request or auth_method_not_found.
   * - 404: agent_not_found.
   * - 409: auth_terminal or auth_env.
   * - 410: The directory of the project is gone.
   * - 413: The body is longer than `limit` bytes.
   * - 502: auth_failed, or the agent could not be started.
   */
  authenticate: Of.JsonCall<Of.Input<"agent.authenticate", { "id": "agentID" }, {}, {}, "members?">, "agent.authenticate">
  /**
   * List the agent processes of this daemon, oldest first, with the newest 500 things that happened on each.
   *
   * `GET /agent/connection`
   *
   * Answers
   * - 200: Agent processes.
   */
  connections: Of.JsonCall<Of.Input<"agent.connections", {}, {}, {}, "none">, "agent.connections">
  /**
   * End an agent process.
   *
   * Answers once it is gone with all it started. Turns it works on fail with `agent_exited`; the next
   * prompt starts another.
   *
   * `DELETE /agent/connection/{id}`
   *
   * Takes
   * - `connectionID`
   *
   * Answers
   * - 200: True: it is gone.
   *
   * Refused with
   * - 404: connection_not_found.
   */
  disconnect: Of.JsonCall<Of.Input<"agent.disconnect", { "id": "connectionID" }, {}, {}, "none">, "agent.disconnect">
  /**
   * Read one agent.
   *
   * `GET /agent/{id}`
   *
   * Takes
   * - `agentID`
   *
   * Answers
   * - 200: The agent.
   *
   * Refused with
   * - 404: agent_not_found.
   */
  get: Of.JsonCall<Of.Input<"agent.get", { "id": "agentID" }, {}, {}, "none">, "agent.get">
  /**
   * List the agents that can be asked for: configured ones, those of the public registry, and what came with the daemon.
   *
   * Looks at what is on this machine; nothing is fetched or started.
   *
   * `GET /agent`
   *
   * Answers
   * - 200: Agents by id.
   */
  list: Of.JsonCall<Of.Input<"agent.list", {}, {}, {}, "none">, "agent.list">
}

/** Operations of `artifact`. */
export interface ArtifactOperations {
  /**
   * Put the files of a claim with their message.
   *
   * The daemon does so itself at the end of each turn: this is for a claim that failed, or to be sure. Asked again for
   * the same message it answers the same list.
   *
   * `POST /artifact/finalize`
   *
   * Takes
   * - and the members of the body
   *
   * Answers
   * - 200: The files of the claim, by name.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: claim_not_found.
   * - 409: claim_conflict: they belong to another message; claim_not_finalized with the reason.
   * - 410: The directory of the project is gone.
   * - 413: The body is longer than `limit` bytes.
   */
  finalize: Of.JsonCall<Of.Input<"artifact.finalize", {}, {}, {}, "members">, "artifact.finalize">
  /**
   * List the files that a session has saved, oldest first.
   *
   * Each is there once, as it is with its message or in its run. `path` and `fileUrl` are for callers on the same
   * machine. Files that no turn has claimed come last, without `versionID`.
   *
   * `GET /session/{id}/artifact`
   *
   * Takes
   * - `sessionID`
   * - `limit`?: At most so many.
   * - `after`?: Only files after this version: the `x-next-cursor` of the page before.
   *
   * Answers
   * - 200: Files.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  list: Of.JsonCall<Of.Input<"artifact.list", { "id": "sessionID" }, { "limit": "limit"; "after": "after" }, {}, "none">, "artifact.list">
  /**
   * Look at an artifact.
   *
   * A page of text, rows of a table, cells of a notebook, or an image with its size. Of a Result, its newest version.
   *
   * `GET /artifact/{id}/preview`
   *
   * Takes
   * - `artifactID`: `art_…`, or `sessionId:ownerId:filename`, percent-encoded.
   * - `versionID`?: Of a Result: this version instead of the newest.
   * - `offset`?: Byte at which the page begins; of a notebook, the cell.
   * - `maxBytes`?: Bytes the page has at most: 8,192 if left out, never more than 10 MiB.
   * - `encoding`?: As the kind of file wants it if left out.
   *
   * Answers
   * - 200: The page.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: artifact_not_found.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: artifact_damaged: the bytes are gone.
   */
  preview: Of.JsonCall<Of.Input<"artifact.preview", { "id": "artifactID" }, { "versionID": "versionID"; "offset": "offset"; "maxBytes": "maxBytes"; "encoding": "encoding" }, {}, "none">, "artifact.preview">
  /**
   * Read an artifact's bytes.
   *
   * They are compared with their digest before any is sent. What a browser would run is sandboxed. Who has them already
   * (`If-None-Match`) is told so by 304.
   *
   * `GET /artifact/{id}/raw`
   *
   * Takes
   * - `artifactID`: `art_…`, or `sessionId:ownerId:filename`, percent-encoded.
   * - `versionID`?: Another version than the newest.
   * - `download`?: To be saved, not shown.
   *
   * Answers
   * - 200: The bytes.
   * - 206: The part that `Range` asks for.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: artifact_not_found.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: artifact_damaged: the bytes are gone.
   * - 416: range_not_satisfiable.
   */
  raw: Of.BytesCall<Of.Input<"artifact.raw", { "id": "artifactID" }, { "versionID": "versionID"; "download": "download" }, {}, "none">>
}

/** Operations of `event`. */
export interface EventOperations {
  /**
   * Listen to what happens in a project.
   *
   * Frames of `data` alone, each `{type, properties}`: `server.connected` first, then whatever this daemon
   * does in the project from now on, journaled or not, and `server.heartbeat` at each interval. There
   * is no cursor: who needs every event of a session follows `/runtime/events`. Closed on a client that
   * falls 2,000 facts behind.
   *
   * `GET /event`
   *
   * Answers
   * - 200: Frames of facts.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   * - 429: too_many_subscribers: come back after `Retry-After` seconds.
   */
  subscribe: Of.StreamCall<Of.Input<"event.subscribe", {}, {}, {}, "none">, "event.subscribe">
}

/** Operations of `file`. */
export interface FileOperations {
  /**
   * Throw an upload away.
   *
   * One that a message names stays: 409 `upload_in_use`.
   *
   * `DELETE /file/upload/{id}`
   *
   * Takes
   * - `uploadID`
   *
   * Answers
   * - 200: True: it is gone.
   *
   * Refused with
   * - 404: upload_not_found.
   * - 409: upload_in_use.
   */
  delete: Of.JsonCall<Of.Input<"file.delete", { "id": "uploadID" }, {}, {}, "none">, "file.delete">
  /**
   * Read what is known of an upload.
   *
   * `GET /file/upload/{id}`
   *
   * Takes
   * - `uploadID`
   *
   * Answers
   * - 200: The upload.
   *
   * Refused with
   * - 404: upload_not_found.
   */
  get: Of.JsonCall<Of.Input<"file.get", { "id": "uploadID" }, {}, {}, "none">, "file.get">
  /**
   * Look at an upload.
   *
   * A page of text, rows of a table, cells of a notebook, or an image with its size.
   *
   * `GET /file/upload/{id}/preview`
   *
   * Takes
   * - `uploadID`
   * - `offset`?: Byte at which the page begins; of a notebook, the cell.
   * - `maxBytes`?: Bytes the page has at most: 8,192 if left out, never more than 10 MiB.
   * - `encoding`?: As the kind of file wants it if left out.
   *
   * Answers
   * - 200: The page.
   *
   * Refused with
   * - 400: invalid_request: the offset is beyond the end.
   * - 404: upload_not_found.
   */
  preview: Of.JsonCall<Of.Input<"file.preview", { "id": "uploadID" }, { "offset": "offset"; "maxBytes": "maxBytes"; "encoding": "encoding" }, {}, "none">, "file.preview">
  /**
   * Go on with a file.
   *
   * The body is the next piece. 409 `upload_offset` tells where it goes on if `offset` is not there.
   *
   * `PUT /file/upload/{id}`
   *
   * Takes
   * - `uploadID`
   * - `offset`: Bytes that are there already.
   * - `body`: the bytes that are sent
   *
   * Answers
   * - 200: The file, as far as it has come.
   *
   * Refused with
   * - 400: invalid_request.
   * - 404: upload_not_found.
   * - 409: upload_offset, upload_busy or upload_sealed.
   * - 413: The file is larger than `limit` bytes.
   * - 507: storage_full; what came is kept.
   */
  resume: Of.JsonCall<Of.Input<"file.resume", { "id": "uploadID" }, { "offset": "offset" }, {}, "bytes">, "file.resume">
  /**
   * Hand over a file.
   *
   * The body is the file itself, of any type, and goes to the disk as it comes. The answer's `url` names it in a
   * `file` part of a prompt. A large file may come in pieces: give its `size`, then go on at `offset`.
   *
   * `POST /file/upload`
   *
   * Takes
   * - `filename`?: Its name, without directories; at most 255 bytes.
   * - `mime`?: Its type; told by its name if left out.
   * - `size`?: Bytes it will have, if it comes in pieces: it is whole once it has them.
   * - `body`: the bytes that are sent
   *
   * Answers
   * - 200: The file, as far as it has come.
   *
   * Refused with
   * - 400: invalid_request.
   * - 413: The file is larger than `limit` bytes.
   * - 507: storage_full.
   */
  upload: Of.JsonCall<Of.Input<"file.upload", {}, { "filename": "filename"; "mime": "mime"; "size": "size" }, {}, "bytes">, "file.upload">
  /**
   * List uploads, newest first; at most 1,000.
   *
   * `GET /file/upload`
   *
   * Answers
   * - 200: Uploads.
   */
  uploads: Of.JsonCall<Of.Input<"file.uploads", {}, {}, {}, "none">, "file.uploads">
}

/** Operations of `global`. */
export interface GlobalOperations {
  /**
   * This document.
   *
   * `GET /doc`
   *
   * Answers
   * - 200: The OpenAPI document.
   */
  doc: Of.JsonCall<Of.Input<"global.doc", {}, {}, {}, "none">, "global.doc">
  /**
   * Listen to what happens in all projects.
   *
   * As `/event`, each frame `{directory, payload: {type, properties}}`; those of the daemon itself have no
   * `directory`.
   *
   * `GET /global/event`
   *
   * Answers
   * - 200: Frames of facts.
   *
   * Refused with
   * - 429: too_many_subscribers: come back after `Retry-After` seconds.
   */
  event: Of.StreamCall<Of.Input<"global.event", {}, {}, {}, "none">, "global.event">
  /**
   * Tell that the daemon answers.
   *
   * Needs no token.
   *
   * `GET /global/health`
   *
   * Answers
   * - 200: The daemon answers.
   */
  health: Of.JsonCall<Of.Input<"global.health", {}, {}, {}, "none">, "global.health">
  /**
   * Read what is at work now, in the text format of Prometheus.
   *
   * `GET /metrics`
   *
   * Answers
   * - 200: Gauges.
   */
  metrics: Of.TextCall<Of.Input<"global.metrics", {}, {}, {}, "none">>
}

/** Operations of `permission`. */
export interface PermissionOperations {
  /**
   * List the permissions that wait in the sessions of a project.
   *
   * `GET /permission`
   *
   * Answers
   * - 200: Pending permissions.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  list: Of.JsonCall<Of.Input<"permission.list", {}, {}, {}, "none">, "permission.list">
  /**
   * Answer a permission by its id alone.
   *
   * For older clients: `/runtime/decision` answers with the receipt and tells a conflict. Here a stored receipt
   * wins, whatever it says.
   *
   * `POST /permission/{id}/reply`
   *
   * Takes
   * - `permissionID`
   * - and the members of the body
   *
   * Answers
   * - 200: True: it is answered.
   *
   * Refused with
   * - 400: invalid_request or scope_not_available.
   * - 404: The project, or what the request names, does not exist.
   * - 409: decision_expired, or decision_not_owned with the `url` that can.
   * - 410: The directory of the project is gone.
   * - 413: The body is longer than `limit` bytes.
   */
  reply: Of.JsonCall<Of.Input<"permission.reply", { "id": "permissionID" }, {}, {}, "members">, "permission.reply">
  /**
   * Revoke a standing grant.
   *
   * The next request it would have covered is asked again.
   *
   * `DELETE /permission/standing/{id}`
   *
   * Takes
   * - `standingID`
   *
   * Answers
   * - 200: True: it is gone.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: grant_not_found.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  revoke: Of.JsonCall<Of.Input<"permission.revoke", { "id": "standingID" }, {}, {}, "none">, "permission.revoke">
  /**
   * List what people have allowed for more than one session: the project's grants and those for all.
   *
   * `GET /permission/standing`
   *
   * Answers
   * - 200: Grants, oldest first.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  standing: Of.JsonCall<Of.Input<"permission.standing", {}, {}, {}, "none">, "permission.standing">
}

/** Operations of `project`. */
export interface ProjectOperations {
  /**
   * Read the selected project.
   *
   * `GET /project/current`
   *
   * Answers
   * - 200: The project.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  current: Of.JsonCall<Of.Input<"project.current", {}, {}, {}, "none">, "project.current">
  /**
   * List all projects the daemon knows.
   *
   * `GET /project`
   *
   * Answers
   * - 200: Projects.
   */
  list: Of.JsonCall<Of.Input<"project.list", {}, {}, {}, "none">, "project.list">
}

/** Operations of `question`. */
export interface QuestionOperations {
  /**
   * List the questions that wait in the sessions of a project.
   *
   * `GET /question`
   *
   * Answers
   * - 200: Pending questions.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  list: Of.JsonCall<Of.Input<"question.list", {}, {}, {}, "none">, "question.list">
  /**
   * Dismiss a question by its id alone.
   *
   * A body is ignored.
   *
   * `POST /question/{id}/reject`
   *
   * Takes
   * - `questionID`
   *
   * Answers
   * - 200: True: it is dismissed.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: decision_expired, or decision_not_owned with the `url` that can.
   * - 410: The directory of the project is gone.
   */
  reject: Of.JsonCall<Of.Input<"question.reject", { "id": "questionID" }, {}, {}, "none">, "question.reject">
  /**
   * Answer a question by its id alone.
   *
   * For older clients: `/runtime/decision` answers with the receipt and tells a conflict. Here a stored receipt
   * wins, whatever it says.
   *
   * `POST /question/{id}/reply`
   *
   * Takes
   * - `questionID`
   * - and the members of the body
   *
   * Answers
   * - 200: True: it is answered.
   *
   * Refused with
   * - 400: invalid_request or invalid_answer.
   * - 404: The project, or what the request names, does not exist.
   * - 409: decision_expired, or decision_not_owned with the `url` that can.
   * - 410: The directory of the project is gone.
   * - 413: The body is longer than `limit` bytes.
   */
  reply: Of.JsonCall<Of.Input<"question.reply", { "id": "questionID" }, {}, {}, "members">, "question.reply">
}

/** Operations of `queue`. */
export interface QueueOperations {
  /**
   * Take every waiting turn back.
   *
   * Their messages stay. The turn the agent has goes on; a run that only waited ends cancelled.
   *
   * `DELETE /session/{id}/queue`
   *
   * Takes
   * - `sessionID`
   *
   * Answers
   * - 200: How many.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: run_not_owned with the `url` that can.
   * - 410: The directory of the project is gone.
   */
  clear: Of.JsonCall<Of.Input<"queue.clear", { "id": "sessionID" }, {}, {}, "none">, "queue.clear">
  /**
   * Read a turn that waits.
   *
   * `GET /session/{id}/queue/{turnID}`
   *
   * Takes
   * - `sessionID`
   * - `turnID`
   *
   * Answers
   * - 200: The turn.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: session_not_found or turn_not_found.
   * - 409: turn_not_queued: it does not wait any more.
   * - 410: The directory of the project is gone.
   */
  get: Of.JsonCall<Of.Input<"queue.get", { "id": "sessionID"; "turnID": "turnID" }, {}, {}, "none">, "queue.get">
  /**
   * List the turns that wait for the agent, next first.
   *
   * `GET /session/{id}/queue`
   *
   * Takes
   * - `sessionID`
   *
   * Answers
   * - 200: The queue.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  list: Of.JsonCall<Of.Input<"queue.list", { "id": "sessionID" }, {}, {}, "none">, "queue.list">
  /**
   * Send a waiting turn next.
   *
   * The turn the agent has is cancelled for it; the run goes on.
   *
   * `POST /session/{id}/queue/{turnID}/send-now`
   *
   * Takes
   * - `sessionID`
   * - `turnID`
   *
   * Answers
   * - 200: The turn, which is next now.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: session_not_found or turn_not_found.
   * - 409: turn_not_queued, or run_not_owned with the `url` that can.
   * - 410: The directory of the project is gone.
   */
  send: Of.JsonCall<Of.Input<"queue.send", { "id": "sessionID"; "turnID": "turnID" }, {}, {}, "none">, "queue.send">
  /**
   * Set how waiting turns are sent from now on.
   *
   * `PUT /session/{id}/queue`
   *
   * Takes
   * - `sessionID`
   * - and the members of the body
   *
   * Answers
   * - 200: The queue as it is now.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   * - 413: The body is longer than `limit` bytes.
   */
  set: Of.JsonCall<Of.Input<"queue.set", { "id": "sessionID" }, {}, {}, "members">, "queue.set">
  /**
   * Take a waiting turn back.
   *
   * Its message stays.
   *
   * `DELETE /session/{id}/queue/{turnID}`
   *
   * Takes
   * - `sessionID`
   * - `turnID`
   *
   * Answers
   * - 200: The turn as it is now.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: session_not_found or turn_not_found.
   * - 409: turn_not_queued, or run_not_owned with the `url` that can.
   * - 410: The directory of the project is gone.
   */
  withdraw: Of.JsonCall<Of.Input<"queue.withdraw", { "id": "sessionID"; "turnID": "turnID" }, {}, {}, "none">, "queue.withdraw">
}

/** Operations of `results`. */
export interface ResultsOperations {
  /**
   * Keep a file as a version of a Result.
   *
   * The same file again is the next version of the same Result.
   *
   * `POST /file/artifact`
   *
   * Takes
   * - and the members of the body
   *
   * Answers
   * - 200: The Result.
   *
   * Refused with
   * - 400: invalid_request or artifact_refused.
   * - 404: file_not_found, session_not_found or message_not_found.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   * - 413: The file is larger than `limit` bytes.
   * - 507: storage_full: too little space would be left.
   */
  declare: Of.JsonCall<Of.Input<"results.declare", {}, {}, {}, "members">, "results.declare">
  /**
   * Read a Result with all its versions.
   *
   * `GET /file/artifact-store/{id}`
   *
   * Takes
   * - `artifactStoreID`
   *
   * Answers
   * - 200: The Result.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: artifact_not_found.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  get: Of.JsonCall<Of.Input<"results.get", { "id": "artifactStoreID" }, {}, {}, "none">, "results.get">
  /**
   * List the Results of a project, the newest first.
   *
   * `GET /file/artifact-store`
   *
   * Takes
   * - `state`?: `active` if absent.
   *
   * Answers
   * - 200: Results.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  list: Of.JsonCall<Of.Input<"results.list", {}, { "state": "state" }, {}, "none">, "results.list">
  /**
   * Read the bytes of a version.
   *
   * Who has them already (`If-None-Match`) is told so by 304.
   *
   * `GET /file/artifact-store/{id}/raw`
   *
   * Takes
   * - `artifactStoreID`
   * - `versionID`?: Another version than the newest.
   * - `download`?: To be saved, not shown.
   *
   * Answers
   * - 200: The bytes.
   * - 206: The part that `Range` asks for.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: artifact_not_found.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: artifact_damaged: the bytes are gone.
   * - 416: range_not_satisfiable.
   */
  raw: Of.BytesCall<Of.Input<"results.raw", { "id": "artifactStoreID" }, { "versionID": "versionID"; "download": "download" }, {}, "none">>
  /**
   * Take a Result out of the trash.
   *
   * `POST /file/artifact-store/{id}/restore`
   *
   * Takes
   * - `artifactStoreID`
   *
   * Answers
   * - 200: The Result.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: artifact_not_found.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  restore: Of.JsonCall<Of.Input<"results.restore", { "id": "artifactStoreID" }, {}, {}, "none">, "results.restore">
  /**
   * Put a Result into the trash.
   *
   * It is kept there for thirty days; saving it again takes it out.
   *
   * `DELETE /file/artifact-store/{id}`
   *
   * Takes
   * - `artifactStoreID`
   *
   * Answers
   * - 200: The Result.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: artifact_not_found.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  trash: Of.JsonCall<Of.Input<"results.trash", { "id": "artifactStoreID" }, {}, {}, "none">, "results.trash">
  /**
   * Give a Result another title.
   *
   * `PATCH /file/artifact-store/{id}`
   *
   * Takes
   * - `artifactStoreID`
   * - and the members of the body
   *
   * Answers
   * - 200: The Result.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: artifact_not_found.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   * - 413: The body is longer than `limit` bytes.
   */
  update: Of.JsonCall<Of.Input<"results.update", { "id": "artifactStoreID" }, {}, {}, "members">, "results.update">
}

/** Operations of `runtime`. */
export interface RuntimeOperations {
  /**
   * Cancel a run.
   *
   * A run that has ended is answered unchanged. Otherwise its terminal event follows.
   *
   * `POST /runtime/cancel`
   *
   * Takes
   * - and the members of the body
   *
   * Answers
   * - 200: The receipt as it stands now.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   * - 413: The body is longer than `limit` bytes.
   */
  cancel: Of.JsonCall<Of.Input<"runtime.cancel", {}, {}, {}, "members">, "runtime.cancel">
  /**
   * Tell what this runtime can do.
   *
   * `GET /runtime/capabilities`
   *
   * Answers
   * - 200: Protocol support.
   */
  capabilities: Of.JsonCall<Of.Input<"runtime.capabilities", {}, {}, {}, "none">, "runtime.capabilities">
  /**
   * Answer a permission or a question.
   *
   * The same answer again gets the same receipt.
   *
   * `POST /runtime/decision`
   *
   * Takes
   * - and the members of the body
   *
   * Answers
   * - 200: The receipt of the decision.
   *
   * Refused with
   * - 400: invalid_request, invalid_answer or scope_not_available.
   * - 404: The session does not exist in this project.
   * - 409: decision_conflict, decision_expired, or decision_not_owned with the `url` that can.
   * - 410: The directory of the project is gone.
   * - 413: The body is longer than `limit` bytes.
   */
  decide: Of.JsonCall<Of.Input<"runtime.decide", {}, {}, {}, "members">, "runtime.decide">
  /**
   * Follow the events of a session.
   *
   * Every retained event after the cursor, then each new one, each as a frame of `id` (the sequence),
   * `event` (the type) and `data` (a RuntimeEvent on one line). A `Last-Event-ID` header that is not
   * empty beats `afterSequence`. Comments keep the stream alive; it does not end with a run.
   *
   * `GET /runtime/events`
   *
   * Takes
   * - `sessionID`
   * - `afterSequence`?: Sequence of the last event already seen; all retained events if absent.
   * - `lastEventID`?: Sequence of the last event already seen.
   *
   * Answers
   * - 200: Frames of events.
   *
   * Refused with
   * - 400: invalid_request or invalid_cursor.
   * - 404: The project, or what the request names, does not exist.
   * - 409: cursor_expired or cursor_ahead, with `oldestSequence` and `latestSequence`.
   * - 410: The directory of the project is gone.
   * - 429: too_many_subscribers: come back after `Retry-After` seconds.
   */
  events: Of.StreamCall<Of.Input<"runtime.events", {}, { "sessionID": "sessionID"; "afterSequence": "afterSequence" }, { "Last-Event-ID": "lastEventID" }, "none">, "runtime.events">
  /**
   * Submit a prompt.
   *
   * Answers once the receipt is durable; the agent works on after the answer. The same `requestID`
   * with the same prompt gets the same receipt. During a live run the prompt joins it: the answer is that
   * run's receipt, with the turn the prompt became.
   *
   * `POST /runtime/prompt`
   *
   * Takes
   * - and the members of the body
   *
   * Answers
   * - 202: The prompt is admitted.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The session does not exist in this project.
   * - 409: request_conflict, queue_full, session_busy or session_deleting.
   * - 410: The directory of the project is gone.
   * - 413: The body is longer than `limit` bytes.
   * - 429: too_many_sessions: come back after `Retry-After` seconds.
   */
  prompt: Of.JsonCall<Of.Input<"runtime.prompt", {}, {}, {}, "members">, "runtime.prompt">
  /**
   * Read retained events after a cursor.
   *
   * At most about 16 MiB at once: go on from the last sequence until the answer is empty.
   *
   * `GET /runtime/events/replay`
   *
   * Takes
   * - `sessionID`
   * - `afterSequence`?: Sequence of the last event already seen; all retained events if absent.
   *
   * Answers
   * - 200: Events in order.
   *
   * Refused with
   * - 400: invalid_request or invalid_cursor.
   * - 404: The project, or what the request names, does not exist.
   * - 409: cursor_expired or cursor_ahead, with `oldestSequence` and `latestSequence`.
   * - 410: The directory of the project is gone.
   */
  replay: Of.JsonCall<Of.Input<"runtime.replay", {}, { "sessionID": "sessionID"; "afterSequence": "afterSequence" }, {}, "none">, "runtime.replay">
  /**
   * Read the receipt of a run.
   *
   * A prompt that joined a run shares its receipt, with its own turn.
   *
   * `GET /runtime/run`
   *
   * Takes
   * - `sessionID`
   * - `runID`
   * - `turnID`?: A turn of the run, to be told with it.
   *
   * Answers
   * - 200: The receipt.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  run: Of.JsonCall<Of.Input<"runtime.run", {}, { "sessionID": "sessionID"; "runID": "runID"; "turnID": "turnID" }, {}, "none">, "runtime.run">
  /**
   * Read where a session stands, and the cursor to follow it from.
   *
   * `GET /runtime/snapshot`
   *
   * Takes
   * - `sessionID`
   *
   * Answers
   * - 200: Runs, pending decisions and the cursor.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  snapshot: Of.JsonCall<Of.Input<"runtime.snapshot", {}, { "sessionID": "sessionID" }, {}, "none">, "runtime.snapshot">
}

/** Operations of `session`. */
export interface SessionOperations {
  /**
   * Stop whatever a session is doing.
   *
   * Fine if it is idle. A body is ignored.
   *
   * `POST /session/{id}/abort`
   *
   * Takes
   * - `sessionID`
   * - `abortSource`?: `runner_timeout` if a harness ran out of time; else a person is assumed.
   *
   * Answers
   * - 200: Always true.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  abort: Of.JsonCall<Of.Input<"session.abort", { "id": "sessionID" }, {}, { "x-openscience-abort-source": "abortSource" }, "none">, "session.abort">
  /**
   * Read the agent of a session: how it is started, what it told of itself, how it is set.
   *
   * Starts nothing: what the agent told is from when the session was opened last.
   *
   * `GET /session/{id}/agent`
   *
   * Takes
   * - `sessionID`
   *
   * Answers
   * - 200: The agent.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  agent: Of.JsonCall<Of.Input<"session.agent", { "id": "sessionID" }, {}, {}, "none">, "session.agent">
  /**
   * List the sessions that have this one as their parent.
   *
   * `GET /session/{id}/children`
   *
   * Takes
   * - `sessionID`
   *
   * Answers
   * - 200: Sessions.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  children: Of.JsonCall<Of.Input<"session.children", { "id": "sessionID" }, {}, {}, "none">, "session.children">
  /**
   * Let the conversation of a session go: the agent frees what it holds of it.
   *
   * Nothing is deleted; the next prompt opens it again. A body is ignored.
   *
   * `POST /session/{id}/close`
   *
   * Takes
   * - `sessionID`
   *
   * Answers
   * - 200: Always true.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: session_busy or session_deleting.
   * - 410: The directory of the project is gone.
   */
  close: Of.JsonCall<Of.Input<"session.close", { "id": "sessionID" }, {}, {}, "none">, "session.close">
  /**
   * Set a config option of a session's agent, between turns.
   *
   * Opens the conversation if need be. It is set again where the agent has to begin afresh.
   *
   * `POST /session/{id}/agent/config`
   *
   * Takes
   * - `sessionID`
   * - and the members of the body
   *
   * Answers
   * - 200: The agent as it is now.
   *
   * Refused with
   * - 400: invalid_request, config_option_not_found or config_value_invalid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: session_busy, method_not_supported or auth_required.
   * - 410: The directory of the project is gone.
   * - 413: The body is longer than `limit` bytes.
   * - 502: The agent could not be started or asked, or refused.
   */
  config: Of.JsonCall<Of.Input<"session.config", { "id": "sessionID" }, {}, {}, "members">, "session.config">
  /**
   * Create a session.
   *
   * Starts no agent. With an `id` it is idempotent: the session of that id is returned if it exists.
   *
   * `POST /session`
   *
   * Takes
   * - and the members of the body
   *
   * Answers
   * - 200: The session.
   *
   * Refused with
   * - 400: invalid_request, agent_not_found, system_prompt_unsupported or not_available.
   * - 404: The project, or what the request names, does not exist.
   * - 409: workspace_mismatch, session_conflict, session_deleted, session_deleting; for a conversation that is taken over also agent_session_taken, method_not_supported or auth_required.
   * - 410: The directory of the project is gone.
   * - 413: The body is longer than `limit` bytes.
   * - 502: The agent of a conversation that is taken over could not be started or asked, or refused.
   */
  create: Of.JsonCall<Of.Input<"session.create", {}, {}, {}, "members?">, "session.create">
  /**
   * Delete a session and its children.
   *
   * A live run is cancelled first. Files of the project stay.
   *
   * `DELETE /session/{id}`
   *
   * Takes
   * - `sessionID`
   *
   * Answers
   * - 200: True: the session is gone.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  delete: Of.JsonCall<Of.Input<"session.delete", { "id": "sessionID" }, {}, {}, "none">, "session.delete">
  /**
   * Make a session of another one's conversation so far, at the agent and here.
   *
   * The source stays as it is. An isolated fork begins with an empty scratch folder.
   *
   * `POST /session/{id}/fork`
   *
   * Takes
   * - `sessionID`
   * - and the members of the body
   *
   * Answers
   * - 200: The fork.
   *
   * Refused with
   * - 400: invalid_request or system_prompt_unsupported.
   * - 404: The project, or what the request names, does not exist.
   * - 409: session_busy, agent_session_missing, method_not_supported, session_conflict, session_deleted or auth_required.
   * - 410: The directory of the project is gone.
   * - 413: The body is longer than `limit` bytes.
   * - 502: The agent could not be started or asked, or refused.
   */
  fork: Of.JsonCall<Of.Input<"session.fork", { "id": "sessionID" }, {}, {}, "members?">, "session.fork">
  /**
   * Read a session.
   *
   * `GET /session/{id}`
   *
   * Takes
   * - `sessionID`
   *
   * Answers
   * - 200: The session.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  get: Of.JsonCall<Of.Input<"session.get", { "id": "sessionID" }, {}, {}, "none">, "session.get">
  /**
   * List the sessions of a project, newest created first.
   *
   * `GET /session`
   *
   * Takes
   * - `roots`?: Only sessions without a parent.
   * - `start`?: Only sessions updated at or after this time, in milliseconds.
   * - `search`?: Part of the title, in any case.
   * - `limit`?: At most this many; all if absent or 0.
   * - `before`?: Only sessions listed after this one.
   * - `source`?: Whose sessions: this daemon's (`local`, the default), those an agent knows (`remote`), or both (`all`). The last two answer an object of references and take `agent` and `cursor` alone.
   * - `agent`?: The agent that is asked; the default agent if left out.
   * - `cursor`?: Of the page before, for `remote` and `all`.
   *
   * Answers
   * - 200: Sessions; for `source=remote` and `source=all` an object of references.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  list: Of.JsonCall<Of.Input<"session.list", {}, { "roots": "roots"; "start": "start"; "search": "search"; "limit": "limit"; "before": "before"; "source": "source"; "agent": "agent"; "cursor": "cursor" }, {}, "none">, "session.list">
  /**
   * Open the conversation of a session now, by `session/load`.
   *
   * There is no other way tried if the agent refuses. One that is open stays as it is.
   *
   * `POST /session/{id}/load`
   *
   * Takes
   * - `sessionID`
   * - `body`: what is sent, as JSON
   *
   * Answers
   * - 200: The agent as it is now.
   *
   * Refused with
   * - 400: invalid_request or system_prompt_unsupported.
   * - 404: The project, or what the request names, does not exist.
   * - 409: session_busy, agent_session_missing, method_not_supported or auth_required.
   * - 410: The directory of the project is gone.
   * - 413: The body is longer than `limit` bytes.
   * - 502: The agent could not be started or asked, or refused.
   */
  load: Of.JsonCall<Of.Input<"session.load", { "id": "sessionID" }, {}, {}, "json?">, "session.load">
  /**
   * Read one message.
   *
   * `GET /session/{id}/message/{messageID}`
   *
   * Takes
   * - `sessionID`
   * - `messageID`
   *
   * Answers
   * - 200: The message with its parts.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  message: Of.JsonCall<Of.Input<"session.message", { "id": "sessionID"; "messageID": "messageID" }, {}, {}, "none">, "session.message">
  /**
   * Read the messages of a session, oldest first.
   *
   * `GET /session/{id}/message`
   *
   * Takes
   * - `sessionID`
   * - `limit`?: Only the newest so many; all if absent or 0.
   *
   * Answers
   * - 200: Messages with their parts.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  messages: Of.JsonCall<Of.Input<"session.messages", { "id": "sessionID" }, { "limit": "limit" }, {}, "none">, "session.messages">
  /**
   * Set the mode of a session's agent, between turns.
   *
   * Opens the conversation if need be. It is set again where the agent has to begin afresh.
   *
   * `POST /session/{id}/agent/mode`
   *
   * Takes
   * - `sessionID`
   * - and the members of the body
   *
   * Answers
   * - 200: The agent as it is now.
   *
   * Refused with
   * - 400: invalid_request or mode_not_found.
   * - 404: The project, or what the request names, does not exist.
   * - 409: session_busy, method_not_supported or auth_required.
   * - 410: The directory of the project is gone.
   * - 413: The body is longer than `limit` bytes.
   * - 502: The agent could not be started or asked, or refused.
   */
  mode: Of.JsonCall<Of.Input<"session.mode", { "id": "sessionID" }, {}, {}, "members">, "session.mode">
  /**
   * Open the conversation of a session now, by `session/resume`.
   *
   * There is no other way tried if the agent refuses. One that is open stays as it is.
   *
   * `POST /session/{id}/resume`
   *
   * Takes
   * - `sessionID`
   * - `body`: what is sent, as JSON
   *
   * Answers
   * - 200: The agent as it is now.
   *
   * Refused with
   * - 400: invalid_request or system_prompt_unsupported.
   * - 404: The project, or what the request names, does not exist.
   * - 409: session_busy, agent_session_missing, method_not_supported or auth_required.
   * - 410: The directory of the project is gone.
   * - 413: The body is longer than `limit` bytes.
   * - 502: The agent could not be started or asked, or refused.
   */
  resume: Of.JsonCall<Of.Input<"session.resume", { "id": "sessionID" }, {}, {}, "json?">, "session.resume">
  /**
   * Tell which sessions of a project are at work.
   *
   * `GET /session/status`
   *
   * Answers
   * - 200: Status by session id; idle sessions are absent.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  status: Of.JsonCall<Of.Input<"session.status", {}, {}, {}, "none">, "session.status">
  /**
   * Read the agent's plan.
   *
   * `GET /session/{id}/todo`
   *
   * Takes
   * - `sessionID`
   *
   * Answers
   * - 200: Entries of the last plan.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  todo: Of.JsonCall<Of.Input<"session.todo", { "id": "sessionID" }, {}, {}, "none">, "session.todo">
  /**
   * Change the title or the marks of a session.
   *
   * `PATCH /session/{id}`
   *
   * Takes
   * - `sessionID`
   * - and the members of the body
   *
   * Answers
   * - 200: The session as it is now.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   * - 413: The body is longer than `limit` bytes.
   */
  update: Of.JsonCall<Of.Input<"session.update", { "id": "sessionID" }, {}, {}, "members">, "session.update">
}

/** Operations of `settings`. */
export interface SettingsOperations {
  /**
   * List compute jobs.
   *
   * Always empty: this daemon runs agents and no jobs.
   *
   * `GET /settings/compute/jobs`
   *
   * Answers
   * - 200: No jobs.
   */
  jobs: Of.JsonCall<Of.Input<"settings.jobs", {}, {}, {}, "none">, "settings.jobs">
}

/** Operations of `state`. */
export interface StateOperations {
  /**
   * Read what became of files: the newest change of each path.
   *
   * `GET /session/{id}/state/diffs`
   *
   * Takes
   * - `sessionID`
   * - `path`?: Only the change of that path.
   *
   * Answers
   * - 200: Changes.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  diffs: Of.JsonCall<Of.Input<"state.diffs", { "id": "sessionID" }, { "path": "path" }, {}, "none">, "state.diffs">
  /**
   * Follow the read model.
   *
   * Frames of `event` (the update's `type`) and `data` (a StateEvent on one line): each object that came or changed, whole,
   * with the session's `revision`. What changes quickly is told as it is then, some times a second. There is no
   * cursor: read `/state` after connecting.
   *
   * `GET /session/{id}/state/events`
   *
   * Takes
   * - `sessionID`
   *
   * Answers
   * - 200: Frames of updates.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   * - 429: too_many_subscribers: come back after `Retry-After` seconds.
   */
  events: Of.StreamCall<Of.Input<"state.events", { "id": "sessionID" }, {}, {}, "none">, "state.events">
  /**
   * Read everything that is known of a session.
   *
   * `revision` grows with each change. Who follows `/state/events` first and reads this then leaves out updates of that
   * revision and older ones.
   *
   * `GET /session/{id}/state`
   *
   * Takes
   * - `sessionID`
   *
   * Answers
   * - 200: The read model.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  get: Of.JsonCall<Of.Input<"state.get", { "id": "sessionID" }, {}, {}, "none">, "state.get">
  /**
   * Ask a terminal's command to end.
   *
   * The agent may still ask for its output. The answer may still say `running`: wait for the end.
   *
   * `POST /session/{id}/state/terminals/{terminalID}/kill`
   *
   * Takes
   * - `sessionID`
   * - `terminalID`
   *
   * Answers
   * - 200: The terminal.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: session_not_found or terminal_not_found.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  kill: Of.JsonCall<Of.Input<"state.kill", { "id": "sessionID"; "terminalID": "terminalID" }, {}, {}, "none">, "state.kill">
  /**
   * Read what the session is called and set to.
   *
   * `GET /session/{id}/state/metadata`
   *
   * Takes
   * - `sessionID`
   *
   * Answers
   * - 200: Metadata.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  metadata: Of.JsonCall<Of.Input<"state.metadata", { "id": "sessionID" }, {}, {}, "none">, "state.metadata">
  /**
   * Read one operation with its permissions.
   *
   * `GET /session/{id}/state/operations/{operationID}`
   *
   * Takes
   * - `sessionID`
   * - `operationID`
   *
   * Answers
   * - 200: The operation.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: session_not_found or operation_not_found.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  operation: Of.JsonCall<Of.Input<"state.operation", { "id": "sessionID"; "operationID": "operationID" }, {}, {}, "none">, "state.operation">
  /**
   * Read what the agent did or wants to do, each with the permissions that were asked for it.
   *
   * `GET /session/{id}/state/operations`
   *
   * Takes
   * - `sessionID`
   *
   * Answers
   * - 200: Operations.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  operations: Of.JsonCall<Of.Input<"state.operations", { "id": "sessionID" }, {}, {}, "none">, "state.operations">
  /**
   * Read one permission.
   *
   * `GET /session/{id}/state/permissions/{requestID}`
   *
   * Takes
   * - `sessionID`
   * - `requestID`
   *
   * Answers
   * - 200: The permission.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: session_not_found or permission_not_found.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  permission: Of.JsonCall<Of.Input<"state.permission", { "id": "sessionID"; "requestID": "requestID" }, {}, {}, "none">, "state.permission">
  /**
   * Read the permissions that were asked for, answered or not.
   *
   * `GET /session/{id}/state/permissions`
   *
   * Takes
   * - `sessionID`
   *
   * Answers
   * - 200: Permissions, oldest first.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  permissions: Of.JsonCall<Of.Input<"state.permissions", { "id": "sessionID" }, {}, {}, "none">, "state.permissions">
  /**
   * Look at a terminal's output now.
   *
   * `POST /session/{id}/state/terminals/{terminalID}/refresh`
   *
   * Takes
   * - `sessionID`
   * - `terminalID`
   *
   * Answers
   * - 200: The terminal.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: session_not_found or terminal_not_found.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  refresh: Of.JsonCall<Of.Input<"state.refresh", { "id": "sessionID"; "terminalID": "terminalID" }, {}, {}, "none">, "state.refresh">
  /**
   * End a terminal's command and let go of it: the agent cannot ask for it any more.
   *
   * `POST /session/{id}/state/terminals/{terminalID}/release`
   *
   * Takes
   * - `sessionID`
   * - `terminalID`
   *
   * Answers
   * - 200: The terminal.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: session_not_found or terminal_not_found.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  release: Of.JsonCall<Of.Input<"state.release", { "id": "sessionID"; "terminalID": "terminalID" }, {}, {}, "none">, "state.release">
  /**
   * Read one terminal as it was last seen.
   *
   * `GET /session/{id}/state/terminals/{terminalID}`
   *
   * Takes
   * - `sessionID`
   * - `terminalID`
   *
   * Answers
   * - 200: The terminal.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: session_not_found or terminal_not_found.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  terminal: Of.JsonCall<Of.Input<"state.terminal", { "id": "sessionID"; "terminalID": "terminalID" }, {}, {}, "none">, "state.terminal">
  /**
   * Read the terminals that ran, or run, for the agent.
   *
   * `GET /session/{id}/state/terminals`
   *
   * Takes
   * - `sessionID`
   *
   * Answers
   * - 200: Terminals, oldest first.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  terminals: Of.JsonCall<Of.Input<"state.terminals", { "id": "sessionID" }, {}, {}, "none">, "state.terminals">
  /**
   * Read the conversation as entries in order.
   *
   * `GET /session/{id}/state/threads`
   *
   * Takes
   * - `sessionID`
   *
   * Answers
   * - 200: Entries.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  threads: Of.JsonCall<Of.Input<"state.threads", { "id": "sessionID" }, {}, {}, "none">, "state.threads">
  /**
   * Read one tool call with what it changed and ran.
   *
   * `GET /session/{id}/state/tool-calls/{toolCallID}`
   *
   * Takes
   * - `sessionID`
   * - `toolCallID`: Its id in the transcript, or the agent's own, which then means the newest.
   *
   * Answers
   * - 200: The call.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: session_not_found or tool_call_not_found.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  toolcall: Of.JsonCall<Of.Input<"state.toolcall", { "id": "sessionID"; "toolCallID": "toolCallID" }, {}, {}, "none">, "state.toolcall">
  /**
   * Read the tool calls, each with what it changed and ran.
   *
   * `GET /session/{id}/state/tool-calls`
   *
   * Takes
   * - `sessionID`
   *
   * Answers
   * - 200: Calls, oldest first.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  toolcalls: Of.JsonCall<Of.Input<"state.toolcalls", { "id": "sessionID" }, {}, {}, "none">, "state.toolcalls">
  /**
   * Read the tokens and the cost that the agent told; an empty object if it told none.
   *
   * `GET /session/{id}/state/usage`
   *
   * Takes
   * - `sessionID`
   *
   * Answers
   * - 200: Usage.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: The project, or what the request names, does not exist.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  usage: Of.JsonCall<Of.Input<"state.usage", { "id": "sessionID" }, {}, {}, "none">, "state.usage">
  /**
   * Wait until a terminal's command has ended.
   *
   * Answers the terminal as it is then, or after `timeoutMs` as it is.
   *
   * `POST /session/{id}/state/terminals/{terminalID}/wait`
   *
   * Takes
   * - `sessionID`
   * - `terminalID`
   * - `timeoutMs`?: How long to wait: a minute if absent, ten at most.
   *
   * Answers
   * - 200: The terminal.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: session_not_found or terminal_not_found.
   * - 409: The directory is not that of the project, or see the code.
   * - 410: The directory of the project is gone.
   */
  wait: Of.JsonCall<Of.Input<"state.wait", { "id": "sessionID"; "terminalID": "terminalID" }, { "timeoutMs": "timeoutMs" }, {}, "none">, "state.wait">
}

/** Operations of `turn`. */
export interface TurnOperations {
  /**
   * Cancel a turn and not its run.
   *
   * The next turn of the run follows; a run without one ends cancelled. A turn that waits is taken
   * back; one that has ended is answered as it is.
   *
   * `POST /session/{id}/turn/{turnID}/cancel`
   *
   * Takes
   * - `sessionID`
   * - `turnID`
   *
   * Answers
   * - 200: The turn as it is now; its end may follow.
   *
   * Refused with
   * - 400: The request or the directory is not valid.
   * - 404: session_not_found or turn_not_found.
   * - 409: run_not_owned with the `url` that can.
   * - 410: The directory of the project is gone.
   */
  cancel: Of.JsonCall<Of.Input<"turn.cancel", { "id": "sessionID"; "turnID": "turnID" }, {}, {}, "none">, "turn.cancel">
}
