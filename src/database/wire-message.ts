/**
 * Statements in PostgreSQL's protocol, as one buffer. The driver would send each part of each statement by itself:
 * some fifty writes for a basket, which cost the service more than what is in them.
 */

export interface Statement {
  /**
   * The name under which the connection keeps the statement; the same name always has the same text. A
   * statement without a name is parsed each time.
   */
  readonly name: string
  readonly text: string
  readonly values: readonly WireValue[]
}

/** Text as PostgreSQL reads it, or a Buffer in its binary form. */
export type WireValue = string | Buffer | null

/** Parses what the server does not know yet, binds and executes all statements, and ends with Sync. */
export function messageOf(statements: readonly Statement[], known: ReadonlySet<string>): Buffer {
  at = 0
  // Several organizations of a message have the same statements.
  const parsed = new Set<string>()
  for (const statement of statements) {
    const { name } = statement
    if (!known.has(name) && !parsed.has(name)) {
      addParse(statement)
      if (name !== '') parsed.add(name)
    }
    addBind(statement)
    addBytes(execute)
  }
  addBytes(sync)
  const message = Buffer.from(written.subarray(0, at))
  if (written.length > maxKept) written = Buffer.allocUnsafeSlow(usualSize)
  return message
}

/** All rows of the unnamed portal. */
const execute = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0])
const sync = Buffer.from([0x53, 0, 0, 0, 4])

function addParse({ name, text }: Statement): void {
  if (name !== '') {
    // Closed first: a message that failed may or may not have got as far as this statement.
    const close = begin('C')
    addText('S')
    addTerminated(name)
    end(close)
  }
  const parse = begin('P')
  addTerminated(name)
  addTerminated(text)
  // The types of the parameters are part of the text.
  addShort(0)
  end(parse)
}

function addBind({ name, values }: Statement): void {
  const bind = begin('B')
  addTerminated('')
  addTerminated(name)
  addShort(values.length)
  for (const value of values) addShort(Buffer.isBuffer(value) ? 1 : 0)
  addShort(values.length)
  for (const value of values) {
    const size = at
    addLong(-1)
    if (value === null) continue
    if (typeof value === 'string') addText(value)
    else addBytes(value)
    written.writeInt32BE(at - size - 4, size)
  }
  // Results come as text.
  addShort(0)
  end(bind)
}

// One buffer for all messages, each of which is copied from it when its size is known. -----------------------

const usualSize = 64 * 1024
const maxKept = 1024 * 1024
let written = Buffer.allocUnsafeSlow(usualSize)
let at = 0

function reserve(bytes: number): void {
  if (at + bytes <= written.length) return
  const larger = Buffer.allocUnsafeSlow(2 * (at + bytes))
  written.copy(larger, 0, 0, at)
  written = larger
}

/** Returns where its size belongs. */
function begin(type: string): number {
  addText(type)
  addLong(0)
  return at - 4
}

function end(start: number): void {
  written.writeInt32BE(at - start, start)
}

function addTerminated(text: string): void {
  addText(text)
  reserve(1)
  written[at++] = 0
}

function addText(text: string): void {
  // No character takes more than three bytes in UTF-8.
  reserve(3 * text.length)
  at += written.write(text, at, 'utf8')
}

function addBytes(bytes: Buffer): void {
  reserve(bytes.length)
  at += bytes.copy(written, at)
}

function addShort(value: number): void {
  reserve(2)
  at = written.writeInt16BE(value, at)
}

function addLong(value: number): void {
  reserve(4)
  at = written.writeInt32BE(value, at)
}
