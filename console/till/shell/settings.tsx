import { Button, Group, Modal, Select, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import type { Outbox } from '../outbox/outbox.ts'
import type { Settled } from '../outbox/send.ts'
import { LookUp } from '../outbox/unsettled-panel.tsx'
import { useClosedByBack } from './back.ts'

interface SettingsProps {
  readonly outbox: Outbox
  readonly onClose: () => void
  readonly onSettled: (settled: Settled) => void
}

/** This till's name and branch, and the entries that were set aside. */
export default function Settings({ outbox, onClose, onSettled }: SettingsProps) {
  const { t } = useTranslation('till')
  useClosedByBack(onClose)
  const { data: branches = [] } = useQuery({
    queryKey: ['branches'],
    queryFn: async () => {
      const query = { limit: 100 }
      return (await dataOf(api.GET('/v1/till/branches', { params: { query } }))).data
    },
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
        {outbox.aside.length > 0 && (
          <Stack gap="md">
            <Title order={3} size="h5">
              {t('aside.title')}
            </Title>
            {outbox.aside.map((entry) => (
              <Stack key={entry.number} gap="xs" className="till-sheet lw-surface">
                <Group justify="space-between">
                  <Text fw={600}>
                    <bdi>{entry.number}</bdi>
                  </Text>
                  <Group gap="xs">
                    <Button
                      onClick={() => {
                        onClose()
                        outbox.takeUp(entry.number)
                      }}
                    >
                      {t('aside.send')}
                    </Button>
                    <Button variant="subtle" color="red" onClick={() => outbox.settle(entry.number)}>
                      {t('aside.discard')}
                    </Button>
                  </Group>
                </Group>
                <LookUp
                  entry={entry}
                  onSettled={(settled) => {
                    onClose()
                    onSettled(settled)
                  }}
                />
              </Stack>
            ))}
          </Stack>
        )}
      </Stack>
    </Modal>
  )
}
