/** Not built yet. */
export function CampaignVersionsPage() {
  return null
}
