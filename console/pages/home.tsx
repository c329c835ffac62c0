/** Not built yet. */
export function HomePage() {
  return null
}
