/** Sends an object of any length: its lists are read while the client reads the response. */
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** What is read ahead of the client. */
const aheadBytes = 256 * 1024

/** A list is read, and a function is called, when what comes before it has been sent. */
type Field = object | AsyncIterable<object> | (() => object)

/**
 * Once the first byte is sent, the status cannot change any more: a failure in a list ends the connection, so
 * that the client sees an incomplete response.
 */
export function sendJson(reply: FastifyReply, fields: Readonly<Record<string, Field>>): FastifyReply {
  const stream = Readable.from(toTexts(fields), { objectMode: false, highWaterMark: aheadBytes })
  return reply.type('application/json; charset=utf-8').send(stream)
}

export async function* rendered<T>(
  rows: AsyncIterable<T>,
  render: (row: T) => object,
): AsyncGenerator<object> {
  for await (const row of rows) yield render(row)
}

async function* toTexts(fields: Readonly<Record<string, Field>>): AsyncGenerator<string> {
  let before = '{'
  for (const [name, value] of Object.entries(fields)) {
    yield `${before}${JSON.stringify(name)}:`
    before = ','
    if (Symbol.asyncIterator in value) yield* listTexts(value)
    else yield JSON.stringify(typeof value === 'function' ? value() : value)
  }
  yield '}'
}

async function* listTexts(items: AsyncIterable<object>): AsyncGenerator<string> {
  let before = '['
  for await (const item of items) {
    yield before + JSON.stringify(item)
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}
