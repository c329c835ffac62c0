import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Failure } from '../ui/failure.tsx'
import { Page } from '../ui/page.tsx'
import { Waiting } from '../ui/waiting.tsx'
import { CampaignEditor } from './campaign/campaign-editor.tsx'
import { campaignQuery, useShapes } from './campaign/queries.ts'

export function CampaignPage() {
  const { t } = useTranslation(['campaigns', 'forms', 'schema-texts', 'transactions'])
  const { id } = useParams({ strict: false }) as { id: string }
  const campaign = useQuery(campaignQuery(id))
  const shapes = useShapes()
  const error = campaign.error ?? shapes.error
  const retry = () => Promise.all([campaign.refetch(), shapes.refetch()])
  if (error) {
    return (
      <Page title={t('title')}>
        <Failure error={error} onRetry={retry} />
      </Page>
    )
  }
  if (!campaign.data || !shapes.data) return <Waiting />
  return <CampaignEditor key={id} campaign={campaign.data} shapes={shapes.data} />
}
