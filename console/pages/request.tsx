/** Not built yet. */
export function RequestPage() {
  return null
}
