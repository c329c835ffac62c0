/** Not built yet. */
export function SettingsPage() {
  return null
}
