import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Failure } from '../ui/failure.tsx'
import { Waiting } from '../ui/waiting.tsx'
import { CampaignEditor } from './campaign/campaign-editor.tsx'
import { campaignQuery, useShapes } from './campaign/queries.ts'

export function CampaignPage() {
  const { id } = useParams({ strict: false }) as { id: string }
  const campaign = useQuery(campaignQuery(id))
  const shapes = useShapes()
  const error = campaign.error ?? shapes.error
  if (error)
    return <Failure error={error} onRetry={() => Promise.all([campaign.refetch(), shapes.refetch()])} />
  if (!campaign.data || !shapes.data) return <Waiting />
  return <CampaignEditor key={id} campaign={campaign.data} shapes={shapes.data} />
}
