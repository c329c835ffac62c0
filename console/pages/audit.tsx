/** Not built yet. */
export function AuditPage() {
  return null
}
