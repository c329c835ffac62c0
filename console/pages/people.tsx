/** Not built yet. */
export function PeoplePage() {
  return null
}
