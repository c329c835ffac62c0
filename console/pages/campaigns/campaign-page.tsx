import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { paths } from '../../paths.ts'
import { PageFailure } from '../../ui/shell/page-failure.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import { CampaignEditor } from './campaign-editor.tsx'
import { campaignQuery, useShapes } from './queries.ts'

export function CampaignPage() {
  const { t } = useTranslation(['campaigns', 'forms', 'schema-texts', 'transactions'])
  const { id } = useParams({ strict: false }) as { id: string }
  const campaign = useQuery(campaignQuery(id))
  const shapes = useShapes()
  const error = campaign.error ?? shapes.error
  const retry = () => Promise.all([campaign.refetch(), shapes.refetch()])
  const parent = { to: paths.campaigns(), title: t('title') }
  if (error)
    return <PageFailure error={error} onRetry={retry} title={t('sections.general.title')} parent={parent} />
  if (!campaign.data || !shapes.data) return <Waiting />
  return <CampaignEditor key={id} campaign={campaign.data} shapes={shapes.data} />
}
