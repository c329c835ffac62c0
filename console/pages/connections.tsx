/** Not built yet. */
export function ConnectionsPage() {
  return null
}
