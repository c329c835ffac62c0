import { Modal, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { readOrRecall } from '../offline/remembered.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { useClosedByBack } from './back.ts'

interface SettingsProps {
  readonly outbox: Outbox
  readonly onClose: () => void
}

async function readBranches() {
  return (await dataOf(api.GET('/v1/till/branches', { params: { query: { limit: 100 } } }))).data
}

/** This till's name and branch. */
export default function Settings({ outbox, onClose }: SettingsProps) {
  const { t } = useTranslation('till')
  useClosedByBack(onClose)
  const { data: branches = [] } = useQuery({
    queryKey: ['branches'],
    queryFn: () => readOrRecall(outbox.organization, 'branches', readBranches),
  })
  return (
    <Modal opened onClose={onClose} title={t('settings.title')}>
      <Stack gap="md">
        <Text>{t('settings.name', { name: outbox.name })}</Text>
        <Select
          label={t('settings.branch')}
          placeholder={t('settings.ownBranch')}
          data={branches.map(({ opaqueId, name }) => ({ value: opaqueId, label: name ?? opaqueId }))}
          value={outbox.branch ?? null}
          onChange={(branch) => outbox.chooseBranch(branch ?? undefined)}
          searchable
          clearable
        />
      </Stack>
    </Modal>
  )
}
