/** What statements read to insert it: each `SELECT` of an `INSERT … SELECT`, up to the end of its statement. */
export function listInsertsOfRead(source: string): string[] {
  return listTemplates(source).flatMap((sql) =>
    [...sql.matchAll(/INSERT INTO [^;]*?\)\s+(?=SELECT\s)/g)].map(({ 0: head, index }) =>
      untilClosed(sql.slice(index + head.length)),
    ),
  )
}

/** The template literals of a source, without what is computed within them. */
function listTemplates(source: string): string[] {
  let flat = source
  for (let before = ''; before !== flat; ) {
    before = flat
    flat = flat.replaceAll(/\$\{[^{}]*\}/g, '…')
  }
  return [...flat.matchAll(/`([^`]*)`/g)].map(([, text]) => text!)
}

/** Up to the parenthesis that closes one before it, or the next statement. */
function untilClosed(sql: string): string {
  let depth = 0
  for (let i = 0; i < sql.length; i++) {
    if (sql[i] === '(') depth++
    else if (sql[i] === ')' && --depth < 0) return sql.slice(0, i)
    else if (sql[i] === ';') return sql.slice(0, i)
  }
  return sql
}
