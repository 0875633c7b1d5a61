// Words out of the tables of a document.

/** What stands as code in the first column of the tables below a heading of the second level. */
export function firstColumn(text, heading) {
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`))
  const rows = (section ?? "").split("\n").filter((line) => line.startsWith("|"))
  const words = rows.flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, word]) => word))
  if (words.length === 0) {
    throw new Error(`no table below the heading ${heading}`)
  }
  return [...new Set(words)].sort()
}
