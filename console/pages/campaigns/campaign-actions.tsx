import { ActionIcon, Button, Menu, Stack, Text, Tooltip } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { definitionOf, type Shapes } from '../../forms/definition.ts'
import { paths } from '../../paths.ts'
import { Failure } from '../../ui/failure.tsx'
import { FormModal } from '../../ui/form.tsx'
import { IconArchive, IconCopy, IconDots, IconHistory, IconPlayerPause, IconRocket } from '../../ui/icons.ts'
import { toast } from '../../ui/toast.ts'
import { Waiting } from '../../ui/waiting.tsx'
import { ChangeList } from './change-list.tsx'
import { campaignQuery } from './queries.ts'

type Campaign = Schemas['Campaign']
type Action = 'publish' | 'pause' | 'archive'

interface CampaignActionsProps {
  readonly campaign: Campaign
  readonly shapes: Shapes
  /** Saves pending changes; resolves to false if that was refused. */
  readonly onBeforePublish?: () => Promise<boolean>
  readonly isBlocked: boolean
}

/** Actions on a campaign as a whole. */
export function CampaignActions({ campaign, shapes, onBeforePublish, isBlocked }: CampaignActionsProps) {
  const { t } = useTranslation('campaigns')
  const [asked, setAsked] = useState<Action>()
  const { mutate: duplicate } = useDuplicate(campaign)
  const isArchived = campaign.status === 'archived'
  const canPublish =
    !isArchived && (campaign.hasChanges || campaign.status !== 'published' || onBeforePublish)
  const publish = async () => {
    if (!onBeforePublish || (await onBeforePublish())) setAsked('publish')
  }
  return (
    <>
      {canPublish && (
        <Button leftSection={<IconRocket size={16} />} onClick={publish} disabled={isBlocked}>
          {t(
            onBeforePublish
              ? 'actions.saveAndPublish'
              : resumes(campaign)
                ? 'actions.resume'
                : 'actions.publish',
          )}
        </Button>
      )}
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <Tooltip label={t('actions.more')}>
            <ActionIcon variant="default" size={36} aria-label={t('actions.more')}>
              <IconDots size={18} />
            </ActionIcon>
          </Tooltip>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            renderRoot={(root) => <Link to={paths.campaignVersions(campaign.id)} {...root} />}
            leftSection={<IconHistory size={16} />}
          >
            {t('actions.versions')}
          </Menu.Item>
          <Menu.Item leftSection={<IconCopy size={16} />} onClick={() => duplicate()}>
            {t('actions.duplicate')}
          </Menu.Item>
          {campaign.status === 'published' && (
            <Menu.Item leftSection={<IconPlayerPause size={16} />} onClick={() => setAsked('pause')}>
              {t('actions.pause')}
            </Menu.Item>
          )}
          {!isArchived && (
            <Menu.Item
              color="red"
              leftSection={<IconArchive size={16} />}
              onClick={() => setAsked('archive')}
            >
              {t('actions.archive')}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {asked && (
        <ActionModal action={asked} campaign={campaign} shapes={shapes} onClose={() => setAsked(undefined)} />
      )}
    </>
  )
}

/** A paused campaign without changes: publishing only resumes it. */
const resumes = ({ status, hasChanges }: Campaign) => status === 'paused' && !hasChanges

function useDuplicate(campaign: Campaign) {
  const { t } = useTranslation('campaigns')
  const queries = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: () => {
      const definition = definitionOf(campaign)
      const name = t('copyOf', { name: campaign.name }).slice(0, 200)
      return dataOf(api.POST('/v1/campaigns', { body: { ...definition, name } as never }))
    },
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['campaigns', 'list'] })
      return navigate({ to: paths.campaign(id) })
    },
  })
}

interface ActionModalProps {
  readonly action: Action
  readonly campaign: Campaign
  readonly shapes: Shapes
  readonly onClose: () => void
}

function ActionModal({ action, campaign, shapes, onClose }: ActionModalProps) {
  const { t } = useTranslation('campaigns')
  const queries = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () => {
      const params = { path: { id: campaign.id } }
      if (action === 'publish') return dataOf(api.POST('/v1/campaigns/{id}/publish', { params, body: {} }))
      if (action === 'pause') return dataOf(api.POST('/v1/campaigns/{id}/pause', { params, body: {} }))
      return dataOf(api.POST('/v1/campaigns/{id}/archive', { params, body: {} }))
    },
    onSuccess: (changed) => {
      queries.setQueryData(campaignQuery(campaign.id).queryKey, changed)
      toast.success(t(`done.${action}`, { name: changed.name, version: changed.version }))
      onClose()
      return queries.invalidateQueries({ queryKey: ['campaigns'] })
    },
  })
  const isResuming = action === 'publish' && resumes(campaign)
  const key = isResuming ? 'resume' : action
  return (
    <FormModal
      title={t(`confirm.${key}.title`, { name: campaign.name })}
      isOpen
      onClose={onClose}
      onSubmit={mutate}
      isBusy={isPending}
      error={error}
      submitLabel={t(`actions.${key}`)}
      isDangerous={action === 'archive'}
    >
      <Text size="sm">{t(`confirm.${key}.about`)}</Text>
      {action === 'publish' && !isResuming && <WhatChanges campaign={campaign} shapes={shapes} />}
    </FormModal>
  )
}

function WhatChanges({ campaign, shapes }: Pick<ActionModalProps, 'campaign' | 'shapes'>) {
  const { t } = useTranslation('campaigns')
  const { id, version, updatedAt } = campaign
  const { data, error, refetch } = useQuery({
    queryKey: ['campaigns', 'changes', id, version, updatedAt],
    queryFn: () => dataOf(api.GET('/v1/campaigns/{id}/changes', { params: { path: { id } } })),
  })
  if (error) return <Failure error={error} onRetry={refetch} />
  if (!data) return <Waiting />
  if (data.from === 0) return <Text size="sm">{t('changes.first')}</Text>
  if (data.changes.length === 0) return <Text size="sm">{t('changes.none')}</Text>
  const draft = definitionOf(campaign)
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        {t('changes.title', { version })}
      </Text>
      <ChangeList changes={data.changes} shapes={shapes} before={draft} after={draft} />
    </Stack>
  )
}
