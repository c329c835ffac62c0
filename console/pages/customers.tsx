/** Not built yet. */
export function CustomersPage() {
  return null
}
