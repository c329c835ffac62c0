/** Not built yet. */
export function NewCampaignPage() {
  return null
}
