// Prints what was found in the OpenAPI document as TypeScript.

/** A name for each schema. */
export function printTypes(document) {
  const lines = ['import type { components } from "./schema.js"', "", 'type Schemas = components["schemas"]', ""]
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    lines.push(...comment("", [schema.description ?? ""]), `export type ${name} = Schemas[${quote(name)}]`)
  }
  return `${lines.join("\n")}\n`
}

/** The words of each enumeration, and of lists that stand elsewhere: `{ name: [description, words] }`. */
export function printConstants(document, lists) {
  const lines = []
  const print = (name, description, words) =>
    lines.push(
      ...comment("", [description]),
      `export const ${plural(name)} = [${words.map(quote).join(", ")}] as const`,
    )
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    if (schema.type === "string" && Array.isArray(schema.enum)) {
      print(name, schema.description ?? "", schema.enum)
    }
  }
  for (const [name, [description, words]] of Object.entries(lists)) {
    print(name, description, words)
    lines.push(...comment("", [description]), `export type ${name} = (typeof ${plural(name)})[number]`)
  }
  return `${lines.join("\n")}\n`
}

/** RunState: RUN_STATES. */
export function plural(name) {
  const shout = name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toUpperCase()
  if (/[^AEIOU]Y$/.test(shout)) {
    return `${shout.slice(0, -1)}IES`
  }
  return /(S|X|CH|SH)$/.test(shout) ? `${shout}ES` : `${shout}S`
}

/** The table of operations and an interface for each group. */
export function printOperations(operations) {
  const root = tree(operations)
  return [
    'import type * as Of from "../operation.js"',
    "",
    "/** Each operation of the OpenAPI document: where it is and how it is called. */",
    "export const OPERATIONS = {",
    ...operations.flatMap(entry),
    "} as const satisfies Of.OperationTable",
    "",
    ...groupInterface("Operations", "", root),
  ].join("\n")
}

function entry(operation) {
  const names = (parameters) =>
    `{ ${parameters.map((one) => `${key(one.name)}: ${quote(one.wire)}`).join(", ")} }`.replace("{  }", "{}")
  const body =
    operation.body.form === "none"
      ? '{ form: "none" }'
      : `{ form: ${quote(operation.body.form)}, type: ${quote(operation.body.type)} }`
  return [
    `  ${quote(operation.id)}: {`,
    `    method: ${quote(operation.method)},`,
    `    path: ${quote(operation.path)},`,
    `    paths: ${names(operation.paths)},`,
    `    queries: ${names(operation.queries)},`,
    `    headers: ${names(operation.headers)},`,
    `    body: ${body},`,
    `    answer: ${quote(operation.answer)},`,
    "  },",
  ]
}

/** Groups by the words of the ids; a group may be an operation too. */
function tree(operations) {
  const root = { groups: new Map() }
  for (const operation of operations) {
    let at = root
    for (const word of operation.id.split(".")) {
      if (!at.groups.has(word)) {
        at.groups.set(word, { groups: new Map() })
      }
      at = at.groups.get(word)
    }
    at.operation = operation
  }
  return root
}

function groupInterface(name, path, group) {
  const lines = [
    ...comment("", [path === "" ? "All operations, by group." : `Operations of \`${path}\`.`]),
    `export interface ${name} {`,
  ]
  const inner = []
  for (const [word, child] of group.groups) {
    const types = []
    const hasGroups = child.groups.size > 0
    const childPath = path === "" ? word : `${path}.${word}`
    if (child.operation !== undefined) {
      types.push(call(child.operation))
    }
    if (hasGroups) {
      const childName = `${childPath.split(".").map(capital).join("")}Operations`
      types.push(childName)
      inner.push("", ...groupInterface(childName, childPath, child))
    }
    lines.push(
      ...comment(
        "  ",
        child.operation === undefined ? [`Operations of \`${childPath}\`.`] : documentation(child.operation),
      ),
      `  ${key(word)}: ${types.join(" & ")}`,
    )
  }
  return [...lines, "}", ...inner, ...(path === "" ? [""] : [])]
}

const CALLS = { json: "JsonCall", text: "TextCall", bytes: "BytesCall", stream: "StreamCall", none: "NoCall" }
/** Calls whose answer has a shape of its own. */
const SHAPED = ["json", "stream"]

function call(operation) {
  const id = quote(operation.id)
  const renamed = (parameters) =>
    parameters.length === 0
      ? "{}"
      : `{ ${parameters.map((one) => `${quote(one.wire)}: ${quote(one.name)}`).join("; ")} }`
  const body = operation.body.form === "none" ? "none" : `${operation.body.form}${operation.body.required ? "" : "?"}`
  const parts = [renamed(operation.paths), renamed(operation.queries), renamed(operation.headers), quote(body)]
  const input = `Of.Input<${[id, ...parts].join(", ")}>`
  const shape = SHAPED.includes(operation.answer) ? `, ${id}` : ""
  return `Of.${CALLS[operation.answer]}<${input}${shape}>`
}

function documentation(operation) {
  const parameters = [...operation.paths, ...operation.queries, ...operation.headers].map((one) => {
    const text = oneLine(one.description)
    return `- \`${one.name}\`${one.required ? "" : "?"}${text === "" ? "" : `: ${text}`}`
  })
  const body = {
    none: [],
    members: ["- and the members of the body"],
    json: ["- `body`: what is sent, as JSON"],
    bytes: ["- `body`: the bytes that are sent"],
  }[operation.body.form]
  const takes = [...parameters, ...body]
  return [
    operation.summary,
    operation.description,
    `\`${operation.method} ${operation.path}\``,
    ...(takes.length > 0 ? [["Takes", ...takes].join("\n")] : []),
    ["Answers", ...operation.success.map((one) => `- ${one.status}: ${oneLine(one.description)}`)].join("\n"),
    ...(operation.refusals.length > 0
      ? [
          ["Refused with", ...operation.refusals.map((one) => `- ${one.status}: ${oneLine(one.description)}`)].join(
            "\n",
          ),
        ]
      : []),
  ]
}

/** Paragraphs as a documentation comment. */
function comment(indent, paragraphs) {
  const told = paragraphs.map((text) => text.trim()).filter((text) => text !== "")
  if (told.length === 0) {
    return []
  }
  const lines = told.join("\n\n").replaceAll("*/", "*\\/").split("\n")
  return lines.length === 1
    ? [`${indent}/** ${lines[0]} */`]
    : [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`]
}

function oneLine(text) {
  return text.replace(/\s+/g, " ").trim()
}

function quote(text) {
  return JSON.stringify(text)
}

function key(name) {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name)
}

function capital(word) {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
