/** Do bytes become the same frames however they are divided? */

import assert from "node:assert/strict"
import { test } from "node:test"

import { OpenScienceProtocolError, type SseFrame, SseParser } from "@openscience/sdk"

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

function parse(pieces: readonly Uint8Array[], limit = 1_000): SseFrame[] {
  const parser = new SseParser(limit)
  return pieces.flatMap((piece) => parser.push(piece))
}

const bytewise = (bytes: Uint8Array): Uint8Array[] => Array.from(bytes, (byte) => Uint8Array.of(byte))

const MANY = [
  ": a comment\n",
  'id: 1\nevent: a\ndata: {"x":"日本 🚀 é"}\n\n',
  ":\n\n",
  "data: one\ndata: two\ndata:\ndata:  indented\n\n",
  "id:2\r\nevent:b\r\ndata:crlf\r\n\r\n",
  "data: cr\rid: 3\r\r",
  "event: no data\n\n",
  "unknown: field\ndata\n\n",
  "id: with\0null\nretry: 10\ndata: last\n\n",
].join("")

const EXPECTED: SseFrame[] = [
  { id: "1", event: "a", data: '{"x":"日本 🚀 é"}' },
  { id: undefined, event: "message", data: "one\ntwo\n\n indented" },
  { id: "2", event: "b", data: "crlf" },
  { id: "3", event: "message", data: "cr" },
  { id: undefined, event: "message", data: "" },
  { id: undefined, event: "message", data: "last" },
]

test("frames are the same when the stream is split at any byte", () => {
  const bytes = encode(MANY)
  for (let at = 0; at <= bytes.length; at += 1) {
    assert.deepEqual(parse([bytes.subarray(0, at), bytes.subarray(at)]), EXPECTED, `split at ${at}`)
  }
})

test("frames are the same when every byte comes by itself", () => {
  assert.deepEqual(parse(bytewise(encode(MANY))), EXPECTED)
})

test("frames are the same with any line ending, also when CR and LF come apart", () => {
  for (const ending of ["\n", "\r\n", "\r"]) {
    const bytes = encode(["id: 7", "event: x", "data: a", "data: b", "", "data: c", "", ""].join(ending))
    const expected = [
      { id: "7", event: "x", data: "a\nb" },
      { id: undefined, event: "message", data: "c" },
    ]
    assert.deepEqual(parse([bytes]), expected)
    assert.deepEqual(parse(bytewise(bytes)), expected)
  }
})

test("a frame is given out as soon as its blank line is there", () => {
  const parser = new SseParser(100)
  assert.deepEqual(parser.push(encode("data: a\r\n\r")), [{ id: undefined, event: "message", data: "a" }])
  assert.deepEqual(parser.push(encode("\ndata: b\n\n")), [{ id: undefined, event: "message", data: "b" }])
})

test("a frame without its blank line is never given out", () => {
  assert.deepEqual(parse([encode('id: 1\ndata: {"whole":true}\n')]), [])
})

test("a byte order mark at the beginning is no part of the first field", () => {
  assert.deepEqual(parse([Uint8Array.of(0xef, 0xbb), Uint8Array.of(0xbf), encode("data: a\n\n")]), [
    { id: undefined, event: "message", data: "a" },
  ])
})

test("bytes that are not UTF-8 are an error and never replacement characters", () => {
  assert.throws(() => parse([encode("data: "), Uint8Array.of(0xff, 0x0a, 0x0a)]), OpenScienceProtocolError)
})

test("a frame beyond the limit is an error, whether it is one line or many, whole or not", () => {
  const long = "x".repeat(60)
  assert.throws(() => parse([encode(`data: ${long}${long}`)], 100), OpenScienceProtocolError)
  assert.throws(() => parse([encode(`data: ${long}\ndata: ${long}\n`)], 100), OpenScienceProtocolError)
  assert.throws(() => parse(bytewise(encode(`data: ${long}${long}`)), 100), OpenScienceProtocolError)
  assert.equal(parse([encode(`data: ${long}\n\ndata: ${long}\n\n`)], 100).length, 2)
})
