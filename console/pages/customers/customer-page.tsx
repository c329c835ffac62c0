import { Button, Grid, Group, Menu, Stack, Tabs } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { idempotencyHeaders } from '../../api/idempotency-key.ts'
import { useSession } from '../../api/session.ts'
import { formatDate } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { customerQuery, nameOf } from '../../ui/customer-name.tsx'
import { IconChevronDown, IconDownload, IconEdit, IconLock, IconLockOpen, IconTrash } from '../../ui/icons.ts'
import { download } from '../../ui/lists/download.ts'
import { useFilters } from '../../ui/lists/filters.ts'
import { MessageList } from '../../ui/messages/message-list.tsx'
import { Page } from '../../ui/page.tsx'
import { PageFailure } from '../../ui/shell/page-failure.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { TierBadges } from '../../ui/tier-badges.tsx'
import { toast } from '../../ui/toast.ts'
import { useAsk } from '../../ui/use-ask.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import { Approval } from './approval.tsx'
import { Balances } from './balances.tsx'
import { Cards } from './cards.tsx'
import type { Customer } from './customer.ts'
import { CustomerCoupons } from './customer-coupons.tsx'
import { EditForm } from './edit-form.tsx'
import { EraseForm } from './erase-form.tsx'
import { Ledger } from './ledger.tsx'
import { Profile } from './profile.tsx'
import { CustomerTimeline } from './timeline.tsx'

export function CustomerPage() {
  const { t } = useTranslation(['customers', 'coupons', 'transactions', 'messages', 'schema-texts'])
  const { id } = useParams({ strict: false }) as { id: string }
  const { timezone } = useSession().organization
  const { data: customer, error, refetch } = useQuery(customerQuery(id))
  const parent = { to: paths.customers(), title: t('title') }
  if (error) return <PageFailure error={error} onRetry={refetch} title={t('profile.title')} parent={parent} />
  if (!customer) return <Waiting />
  return (
    <Page
      title={nameOf(customer) ?? t('noName')}
      parent={parent}
      about={
        <Group gap="xs" component="span">
          <StatusBadge of="customer" status={customer.status} />
          <TierBadges tiers={customer.tiers} />
          {t('profile.registeredOn', { date: formatDate(customer.createdAt, timezone) })}
        </Group>
      }
      actions={<Actions customer={customer} />}
    >
      <Approval customer={customer} />
      <Balances customer={customer} />
      <Grid gap="lg" align="flex-start">
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack gap="lg">
            <Cards customer={customer} />
            <Profile customer={customer} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <History customer={customer} />
        </Grid.Col>
      </Grid>
    </Page>
  )
}

function History({ customer }: { readonly customer: Customer }) {
  const { t } = useTranslation('customers')
  const [{ tab = 'timeline' }, setFilters] = useFilters()
  return (
    <Tabs value={tab} onChange={(value) => setFilters({ tab: value ?? undefined })} keepMounted={false}>
      <Tabs.List aria-label={t('tab.label')} mb="md">
        {(['timeline', 'coupons', 'ledger', 'messages'] as const).map((name) => (
          <Tabs.Tab key={name} value={name}>
            {t(`tab.${name}`)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="timeline">
        <CustomerTimeline customer={customer} />
      </Tabs.Panel>
      <Tabs.Panel value="coupons">
        <CustomerCoupons customer={customer} />
      </Tabs.Panel>
      <Tabs.Panel value="ledger">
        <Ledger customer={customer.id} />
      </Tabs.Panel>
      <Tabs.Panel value="messages">
        <MessageList customer={customer.id} />
      </Tabs.Panel>
    </Tabs>
  )
}

function Actions({ customer }: { readonly customer: Customer }) {
  const { t } = useTranslation('customers')
  const { id } = customer
  const ask = useAsk()
  const navigate = useNavigate()
  const [open, setOpen] = useState<'edit' | 'erase'>()
  const close = () => setOpen(undefined)
  const { mutate: exportAll } = useMutation({
    mutationFn: () => dataOf(api.GET('/v1/customers/{id}/export', { params: { path: { id } } })),
    onSuccess: (kept) => download(`${id}.json`, JSON.stringify(kept, undefined, 2), 'application/json'),
  })
  const options = () => ({ params: { path: { id }, header: idempotencyHeaders() }, body: {} })
  const block = () =>
    ask({
      title: t('profile.blockTitle'),
      about: t('profile.blockAbout'),
      confirm: t('profile.block'),
      isDangerous: true,
      run: () => dataOf(api.POST('/v1/customers/{id}/block', options())),
      done: t('profile.blocked'),
    })
  const unblock = () =>
    ask({
      title: t('profile.unblockTitle'),
      about: t('profile.unblockAbout'),
      confirm: t('profile.unblock'),
      run: () => dataOf(api.POST('/v1/customers/{id}/unblock', options())),
      done: t('profile.unblocked'),
    })
  const isBlocked = customer.status === 2
  return (
    <>
      <Button variant="default" leftSection={<IconEdit size={16} />} onClick={() => setOpen('edit')}>
        {t('profile.edit')}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={16} />}>
            {t('profile.more')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconDownload size={16} />} onClick={() => exportAll()}>
            {t('profile.export')}
          </Menu.Item>
          {isBlocked ? (
            <Menu.Item leftSection={<IconLockOpen size={16} />} onClick={unblock}>
              {t('profile.unblock')}
            </Menu.Item>
          ) : (
            <Menu.Item leftSection={<IconLock size={16} />} onClick={block}>
              {t('profile.block')}
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={() => setOpen('erase')}>
            {t('profile.erase')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <EditForm customer={customer} isOpen={open === 'edit'} onClose={close} />
      <EraseForm
        customer={customer}
        isOpen={open === 'erase'}
        onClose={close}
        onDone={() => {
          toast.success(t('erase.done'))
          navigate({ to: paths.customers() })
        }}
      />
    </>
  )
}
