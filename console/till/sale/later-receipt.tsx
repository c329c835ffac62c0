import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '../../i18n/format.ts'
import { IconCircleCheck, IconCloudOff, IconPrinter } from '../../ui/icons.ts'
import { Row } from '../../ui/totals.tsx'
import { WalletCode } from '../card/wallet-code.tsx'
import type { UnsettledSale } from '../outbox/outbox.ts'
import type { Settled } from '../outbox/send.ts'
import { useMoney, useTillContext } from '../shell/till-context.ts'
import { ReceiptLines } from './receipt-lines.tsx'
import { BalancesAfter } from './totals.tsx'

interface LaterReceiptProps {
  readonly entry: UnsettledSale
  /** Once the service has recorded it. */
  readonly answered?: Extract<Settled, { kind: 'sale' }>
  readonly onNext: () => void
}

/** The receipt of a sale that the service did not know when it was paid. Its points and the card follow. */
export default function LaterReceipt({ entry, answered, onNext }: LaterReceiptProps) {
  const { t } = useTranslation('till')
  const money = useMoney()
  const { organization } = useTillContext().session
  const { number, body, due = 0, at = 0, ending } = entry
  const walletUrl = answered?.transaction.walletUrl
  return (
    <main className="till-alone" id="till-main" tabIndex={-1}>
      <Stack gap="lg" maw={walletUrl ? 880 : 520} w="100%">
        <Heading due={due} isRecorded={answered !== undefined} />
        <article className="lw-surface till-sheet till-paper till-receipt" aria-label={t('receipt.title')}>
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
              {answered ? (
                <BalancesAfter collectables={answered.transaction.executedActions.collectables} />
              ) : (
                <Text size="sm">{t('offline.onReceipt')}</Text>
              )}
            </div>
          </Stack>
          {walletUrl && <WalletCode url={walletUrl} />}
        </article>
        <Group gap="xs" className="till-screen-only">
          <Button size="lg" onClick={onNext} autoFocus>
            {t('receipt.next')}
          </Button>
          <Button
            size="lg"
            variant="default"
            leftSection={<IconPrinter size={20} />}
            onClick={() => window.print()}
          >
            {t('receipt.print')}
          </Button>
        </Group>
      </Stack>
    </main>
  )
}

interface HeadingProps {
  readonly due: number
  readonly isRecorded: boolean
}

function Heading({ due, isRecorded }: HeadingProps) {
  const { t } = useTranslation('till')
  const money = useMoney()
  return (
    <Group gap="sm" wrap="nowrap" className="till-screen-only">
      {isRecorded ? (
        <IconCircleCheck size={40} color="var(--mantine-primary-color-filled)" />
      ) : (
        <IconCloudOff size={40} />
      )}
      <div>
        <Title order={1} size="h2">
          {t('receipt.paid', { amount: money(due) })}
        </Title>
        <Text>{t(isRecorded ? 'offline.recorded' : 'offline.follows')}</Text>
      </div>
    </Group>
  )
}
