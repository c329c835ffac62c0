import { Button, Grid, Group, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { formatDateTime } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { IconArrowBackUp } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { PageFailure } from '../../ui/shell/page-failure.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import { Happened } from './happened.tsx'
import { Lines } from './lines.tsx'
import { ReturnForm } from './return-form.tsx'
import { ReturnDone, Returns } from './returns.tsx'
import { SaleTotals, Summary } from './summary.tsx'
import { Warnings } from './warnings.tsx'

const returnedStatus = 3

export function TransactionPage() {
  const { t } = useTranslation(['transactions', 'customers', 'schema-texts'])
  const { id } = useParams({ strict: false }) as { id: string }
  const { timezone } = useSession().organization
  const [isReturning, setReturning] = useState(false)
  const [done, setDone] = useState<Schemas['SaleReturn']>()
  const {
    data: sale,
    error,
    refetch,
  } = useQuery({
    queryKey: ['transactions', 'one', id],
    queryFn: () => dataOf(api.GET('/v1/transactions/{id}', { params: { path: { id } } })),
  })
  const parent = { to: paths.transactions(), title: t('title') }
  if (error) return <PageFailure error={error} onRetry={refetch} title={t('one')} parent={parent} />
  if (!sale) return <Waiting />
  return (
    <Page
      title={sale.opaqueId ? t('oneReceipt', { number: sale.opaqueId }) : t('one')}
      parent={parent}
      about={
        <Group gap="xs" component="span">
          <StatusBadge of="transaction" status={sale.status} />
          {formatDateTime(sale.occurredAt, timezone)}
        </Group>
      }
      actions={
        sale.status !== returnedStatus && (
          <Button
            variant="default"
            leftSection={<IconArrowBackUp size={16} />}
            onClick={() => setReturning(true)}
          >
            {sale.items.length === 0 ? t('return.openAmount') : t('return.open')}
          </Button>
        )
      }
    >
      {done?.transaction === id && <ReturnDone done={done} sale={sale} onClose={() => setDone(undefined)} />}
      <Warnings sale={sale} />
      <Grid gap="lg" align="flex-start">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Stack gap="lg">
            <Lines sale={sale} />
            <Happened sale={sale} />
            <Returns sale={sale} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack gap="lg">
            <SaleTotals sale={sale} />
            <Summary sale={sale} />
          </Stack>
        </Grid.Col>
      </Grid>
      <ReturnForm sale={sale} isOpen={isReturning} onClose={() => setReturning(false)} onDone={setDone} />
    </Page>
  )
}
