/** Not built yet. */
export function CustomerPage() {
  return null
}
