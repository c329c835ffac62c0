/** CSV for spreadsheets: RFC 4180 with a byte order mark; no cell can be executed as a formula. */
export function toCsv(rows: readonly (readonly (string | number | undefined)[])[]): string {
  return `\ufeff${rows.map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`
}

function cell(value: string | number | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const isPhone = /^\+\d+$/.test(value)
  const safe = !isPhone && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export function download(name: string, content: string, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }))
  const link = Object.assign(document.createElement('a'), { href: address, download: name })
  link.click()
  // Some browsers read the URL only after this task.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
