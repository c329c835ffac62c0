/** Saves content as a file. */
export function download(name: string, content: string, type: string): void {
  const address = URL.createObjectURL(new Blob([content], { type }))
  const link = Object.assign(document.createElement('a'), { href: address, download: name })
  link.click()
  // Some browsers read the URL only after this task.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
