import { Tabs } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useFilters } from '../../ui/lists/filters.ts'
import { Page } from '../../ui/page.tsx'
import { AutomaticMessages } from './automatic-messages.tsx'
import { MessageLog } from './message-log.tsx'
import { Senders } from './senders.tsx'

export function MessagesPage() {
  const { t } = useTranslation(['messages', 'customers'])
  const [{ tab = 'automatic' }, setFilters] = useFilters()
  // The filters belong to the log.
  const open = (value: string | null) =>
    setFilters({ tab: value ?? undefined, kind: undefined, status: undefined })
  return (
    <Page title={t('title')} about={t('about')}>
      <Tabs value={tab} onChange={open} keepMounted={false}>
        <Tabs.List aria-label={t('title')} mb="md">
          {(['automatic', 'log', 'senders'] as const).map((name) => (
            <Tabs.Tab key={name} value={name}>
              {t(`tab.${name}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="automatic">
          <AutomaticMessages />
        </Tabs.Panel>
        <Tabs.Panel value="log">
          <MessageLog />
        </Tabs.Panel>
        <Tabs.Panel value="senders">
          <Senders />
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}
