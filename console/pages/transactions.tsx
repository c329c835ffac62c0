/** Not built yet. */
export function TransactionsPage() {
  return null
}
