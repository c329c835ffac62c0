import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { IconCloudOff, IconPrinter } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../i18n/format.ts'
import { Row } from '../../ui/totals.tsx'
import type { UnsettledSale } from '../outbox/outbox.ts'
import { useMoney, useTillContext } from '../shell/till-context.ts'
import { ReceiptLines } from './receipt-lines.tsx'

interface LaterReceiptProps {
  readonly entry: UnsettledSale
  readonly onNext: () => void
}

/** The receipt of a sale that the service does not know yet: what was paid, without points. */
export default function LaterReceipt({ entry, onNext }: LaterReceiptProps) {
  const { t } = useTranslation('till')
  const money = useMoney()
  const { organization } = useTillContext().session
  const { number, body, due = 0, at = 0, ending } = entry
  return (
    <main className="till-alone" id="till-main" tabIndex={-1}>
      <Stack gap="lg" maw={520} w="100%">
        <Group gap="sm" wrap="nowrap" className="till-screen-only">
          <IconCloudOff size={40} aria-hidden />
          <div>
            <Title order={1} size="h2">
              {t('receipt.paid', { amount: money(due) })}
            </Title>
            <Text>{t('offline.follows')}</Text>
          </div>
        </Group>
        <article className="lw-surface till-sheet till-paper" aria-label={t('receipt.title')}>
          <Stack gap="md">
            <div>
              <Text fw={650}>{organization.name}</Text>
              <Text size="sm" c="dimmed">
                <bdi>{number}</bdi> · {formatDateTime(new Date(at).toISOString(), organization.timezone)}
              </Text>
            </div>
            <ReceiptLines items={body.items ?? []} />
            <dl className="till-totals till-sum">
              <Row label={t('receipt.total')} value={money(due)} isLarge />
            </dl>
            <div>
              {ending && <Text fw={600}>{t('offline.card', { ending })}</Text>}
              <Text size="sm">{t('offline.onReceipt')}</Text>
            </div>
          </Stack>
        </article>
        <Group gap="xs" className="till-screen-only">
          <Button size="lg" onClick={onNext} autoFocus>
            {t('receipt.next')}
          </Button>
          <Button
            size="lg"
            variant="default"
            leftSection={<IconPrinter size={20} aria-hidden />}
            onClick={() => window.print()}
          >
            {t('receipt.print')}
          </Button>
        </Group>
      </Stack>
    </main>
  )
}
