/** Not built yet. */
export function CampaignsPage() {
  return null
}
