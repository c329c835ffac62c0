import { Button, Group, Progress, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Action } from '../../api/action.ts'
import { api, dataOf } from '../../api/client.ts'
import { formatDate, formatDateTime, formatList } from '../../i18n/format.ts'
import { IconArrowBackUp, IconCircleCheck, IconPrinter } from '../../ui/icons.ts'
import { Totals } from '../../ui/totals.tsx'
import { WalletCode } from '../card/wallet-code.tsx'
import type { Settled } from '../outbox/send.ts'
import { useMoney, useNames, useTillContext } from '../shell/till-context.ts'
import { PriceWarnings } from './price-warnings.tsx'
import { ReceiptLines } from './receipt-lines.tsx'
import { BalancesAfter, useGains } from './totals.tsx'

interface ReceiptProps {
  readonly settled: Extract<Settled, { kind: 'sale' }>
  readonly onNext: () => void
  readonly onReturn: () => void
}

/** The receipt in words, on the screen and on paper. */
export function Receipt({ settled, onNext, onReturn }: ReceiptProps) {
  const { t } = useTranslation('till')
  const money = useMoney()
  const { organization } = useTillContext().session
  const { transaction, entry } = settled
  const takenOff = useTakenOff(settled)
  const items = entry.body.items ?? []
  return (
    <main className="till-alone" id="till-main" tabIndex={-1}>
      <Stack gap="lg" maw={transaction.walletUrl ? 880 : 520} w="100%">
        <Group gap="sm" wrap="nowrap" className="till-screen-only">
          <IconCircleCheck size={40} color="var(--mantine-primary-color-filled)" />
          <Title order={1} size="h2">
            {t('receipt.paid', { amount: money(transaction.totals.due) })}
          </Title>
        </Group>
        <PriceWarnings warnings={transaction.warnings} />
        <article className="lw-surface till-sheet till-paper till-receipt" aria-label={t('receipt.title')}>
          <Stack gap="md">
            <div>
              <Text fw={650}>{organization.name}</Text>
              <Text size="sm" c="dimmed">
                <bdi>{entry.number}</bdi> · {formatDateTime(transaction.createdAt, organization.timezone)}
              </Text>
            </div>
            <ReceiptLines items={items} />
            <div className="till-sum">
              <Totals
                totals={transaction.totals}
                due={money(transaction.totals.due)}
                money={money}
                labels={{ ...takenOff, due: t('receipt.total') }}
              />
            </div>
            <Loyalty settled={settled} />
          </Stack>
          {transaction.walletUrl && <WalletCode url={transaction.walletUrl} />}
        </article>
        <ReceiptActions onNext={onNext} onReturn={onReturn} />
      </Stack>
    </main>
  )
}

function ReceiptActions({ onNext, onReturn }: Omit<ReceiptProps, 'settled'>) {
  const { t } = useTranslation('till')
  return (
    <Group gap="xs" className="till-screen-only">
      <Button size="lg" onClick={onNext} data-autofocus autoFocus>
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
      <Button size="lg" variant="subtle" leftSection={<IconArrowBackUp size={20} />} onClick={onReturn}>
        {t('receipt.return')}
      </Button>
    </Group>
  )
}

/** Labels of the totals that name the coupons and the points. */
function useTakenOff({ transaction, entry }: ReceiptProps['settled']) {
  const { t } = useTranslation('till')
  const names = useNames()
  const actions: readonly Action[] = transaction.executedActions.actions
  const coupons = actions.flatMap(({ type, coupon }) =>
    type === 'redeem_coupon' && coupon ? (entry.couponNames[coupon] ?? coupon) : [],
  )
  const spent = actions.find(({ type }) => type === 'spend_points')
  return {
    coupons: t('receipt.coupons', { count: coupons.length, names: formatList([...new Set(coupons)]) }),
    points: spent?.key && names.change(spent.key, -(spent.amount ?? 0)),
  }
}

/** The customer's gains and new balances. */
function Loyalty({ settled: { transaction } }: Pick<ReceiptProps, 'settled'>) {
  const { t } = useTranslation('till')
  const { timezone } = useTillContext().session.organization
  const names = useNames()
  const gains = useGains()
  // The name is not stored with the sale, so that no one else finds it in this browser.
  const { data: customer } = useQuery({
    queryKey: ['customer', transaction.customer, transaction.id],
    queryFn: () => dataOf(api.GET('/v1/customers/{id}', { params: { path: { id: transaction.customer } } })),
  })
  const { collectables, coupons, progress } = transaction.executedActions
  const texts = gains(transaction)
  // Several coupons of one kind expire on the same day and share one text.
  const untils = new Set(
    coupons.flatMap(({ reward, expiresAt }) =>
      expiresAt ? t('receipt.couponUntil', { name: reward.name, date: formatDate(expiresAt, timezone) }) : [],
    ),
  )
  return (
    <Stack gap="xs">
      {customer?.data.fullname && <Text fw={600}>{customer.data.fullname}</Text>}
      <ul className="till-gains">
        {texts.length === 0 && <li>{t('receipt.noGains')}</li>}
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      {[...untils].map((text) => (
        <Text key={text} size="sm" c="dimmed">
          {text}
        </Text>
      ))}
      <BalancesAfter collectables={collectables} />
      {progress.map(({ key, have, need, reward }) => {
        const text = names.progress(key, { have, need, reward: names.reward(reward) })
        return (
          <div key={`${key} ${reward}`}>
            <Text size="sm">{text}</Text>
            <Progress
              className="till-screen-only"
              value={need > 0 ? (have / need) * 100 : 0}
              aria-label={text}
              mt={4}
            />
          </div>
        )
      })}
    </Stack>
  )
}
