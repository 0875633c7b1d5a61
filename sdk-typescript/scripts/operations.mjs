// What the OpenAPI document says about each operation, in the form the client needs.
//
// An operation takes one flat object: path parameters, query parameters, headers and the members of a JSON body. A path
// parameter that is only called `id` takes the name of what it identifies: `/session/{id}` is `sessionID`. Where a name would
// stand for two things, or the body is not an object, the body is its member `body`.

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]
const JSON_TYPE = "application/json"
/** Selects the project; the client has options for it. */
const SELECTOR_HEADER = /^x-openscience-(directory|project)$/i
const SELECTOR_QUERY = new Set(["directory", "project", "projectID"])

/** All operations, by id. */
export function describeOperations(document) {
  const found = []
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS.filter((method) => item[method] !== undefined)) {
      found.push(describe(document, method, path, item))
    }
  }
  const ids = found.map((operation) => operation.id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) {
    throw new Error(`two operations are called ${twice}`)
  }
  return found.sort((a, b) => (a.id < b.id ? -1 : 1))
}

function describe(document, method, path, item) {
  const operation = item[method]
  const id = operation.operationId
  if (typeof id !== "string" || !id.split(".").every((word) => /^[A-Za-z_$][\w$]*$/.test(word))) {
    throw new Error(`${method} ${path} needs an operationId such as group.verb`)
  }
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map((one) => resolve(document, one))
  const ofPlace = (place) => parameters.filter((one) => one.in === place)
  const selects = ofPlace("header").some((one) => SELECTOR_HEADER.test(one.name))
  const paths = ofPlace("path").map((one) => input(pathName(path, one.name), one))
  const queries = ofPlace("query")
    .filter((one) => !(selects && SELECTOR_QUERY.has(one.name)))
    .map((one) => input(one.name, one))
  const headers = ofPlace("header")
    .filter((one) => !SELECTOR_HEADER.test(one.name))
    .map((one) => input(camel(one.name.replace(/^x-(openscience-)?/i, "")), one))
  const taken = [...paths, ...queries, ...headers].map((one) => one.name)
  const twice = taken.find((name, index) => taken.indexOf(name) !== index)
  if (twice !== undefined) {
    throw new Error(`${id}: two parameters are called ${twice}`)
  }
  return {
    id,
    method: method.toUpperCase(),
    path,
    selects,
    paths,
    queries,
    headers,
    body: body(document, operation.requestBody, new Set(taken)),
    answer: answer(document, operation.responses),
    summary: operation.summary ?? "",
    description: operation.description ?? "",
    refusals: refusals(document, operation.responses),
    success: success(document, operation.responses).map(([status, response]) => ({
      status,
      description: response.description ?? "",
    })),
  }
}

/** A parameter: what callers call it, what it is called on the wire. */
function input(name, parameter) {
  return { name, wire: parameter.name, description: parameter.description ?? "", required: parameter.required === true }
}

function pathName(path, name) {
  if (name !== "id") {
    return name
  }
  const segments = path.split("/")
  const before = segments
    .slice(0, segments.indexOf("{id}"))
    .filter((segment) => segment !== "" && !segment.startsWith("{"))
  const thing = before.at(-1)
  return thing === undefined ? name : `${camel(thing)}ID`
}

/** `Last-Event-ID` is lastEventID, `artifact-store` is artifactStore. */
function camel(name) {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== "")
  return words
    .map((word, index) => (index === 0 ? word.toLowerCase() : word.charAt(0).toUpperCase() + word.slice(1)))
    .join("")
}

/** How the body is given: not at all, as members of the input, as its member `body`, or as bytes. */
function body(document, requestBody, taken) {
  if (requestBody === undefined) {
    return { form: "none" }
  }
  const resolved = resolve(document, requestBody)
  const required = resolved.required === true
  const types = Object.keys(resolved.content ?? {})
  const media = resolved.content?.[JSON_TYPE]
  if (media === undefined) {
    const concrete = types.find((type) => !type.includes("*"))
    return { form: "bytes", required, type: concrete ?? "application/octet-stream" }
  }
  const names = members(document, media.schema)
  const isFlat = names.length > 0 && !names.some((name) => taken.has(name))
  return { form: isFlat ? "members" : "json", required, type: JSON_TYPE }
}

/** Names of all members an object may have; none if it is no object. */
function members(document, schema) {
  if (schema === undefined) {
    return []
  }
  const resolved = resolve(document, schema)
  const own = Object.keys(resolved.properties ?? {})
  const rest = [...(resolved.allOf ?? []), ...(resolved.oneOf ?? []), ...(resolved.anyOf ?? [])]
  return [...new Set([...own, ...rest.flatMap((one) => members(document, one))])]
}

function success(document, responses) {
  return Object.entries(responses)
    .filter(([status]) => /^2/.test(status))
    .map(([status, response]) => [status, resolve(document, response)])
}

/** How the answer is read. */
function answer(document, responses) {
  const types = new Set(success(document, responses).flatMap(([, response]) => Object.keys(response.content ?? {})))
  if (types.size === 0) {
    return "none"
  }
  const [only] = types
  const is = { [JSON_TYPE]: "json", "text/event-stream": "stream", "text/plain": "text" }
  return (types.size === 1 ? is[only] : undefined) ?? "bytes"
}

/** What every operation can be refused for is not told with each. */
const GENERAL = new Set(["401", "403", "408", "415", "500", "503", "default"])

function refusals(document, responses) {
  return Object.entries(responses)
    .filter(([status]) => !/^2/.test(status) && !GENERAL.has(status))
    .map(([status, response]) => ({ status, description: resolve(document, response).description ?? "" }))
}

function resolve(document, thing) {
  let seen = 0
  let current = thing
  while (typeof current?.$ref === "string") {
    const steps = current.$ref.replace(/^#\//, "").split("/")
    current = steps.reduce((at, step) => at?.[step.replaceAll("~1", "/").replaceAll("~0", "~")], document)
    seen += 1
    if (current === undefined || seen > 100) {
      throw new Error(`${thing.$ref} leads nowhere`)
    }
  }
  return current
}
