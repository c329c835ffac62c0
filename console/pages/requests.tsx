/** Not built yet. */
export function RequestsPage() {
  return null
}
