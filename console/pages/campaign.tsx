/** Not built yet. */
export function CampaignPage() {
  return null
}
