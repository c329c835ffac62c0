/** Not built yet. */
export function CouponsPage() {
  return null
}
