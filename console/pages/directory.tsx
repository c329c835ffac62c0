/** Not built yet. */
export function ProductsPage() {
  return null
}
export function BranchesPage() {
  return null
}
export function UsersPage() {
  return null
}
