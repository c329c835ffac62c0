/** A statement of a file, with the comments before it. */
export interface FileStatement {
  /** Without comments, and with every run of white space as one space. Texts are kept. */
  readonly text: string
  /** The comments before it and inside it, as they are. */
  readonly comments: string
  readonly line: number
}

/** A comment, a text, a name in quotes, a body between dollar signs, the end of a statement, or anything else. */
const token = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|;|\s+|[^\s;]/g

/** The statements of a file of SQL, in order. */
export function splitStatements(sql: string): FileStatement[] {
  const statements: FileStatement[] = []
  let text = ''
  let comments = ''
  let startsAt: number | undefined
  const end = () => {
    if (startsAt !== undefined) {
      const line = sql.slice(0, startsAt).split('\n').length
      statements.push({ text: text.trim(), comments, line })
    }
    text = ''
    comments = ''
    startsAt = undefined
  }
  for (const { 0: part, index } of sql.matchAll(token)) {
    if (part === ';') end()
    else if (part.startsWith('--') || part.startsWith('/*')) comments += `${part}\n`
    else if (/^\s/.test(part)) text += ' '
    else {
      startsAt ??= index
      text += part
    }
  }
  end()
  return statements
}
