import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { type FormEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../../api/client.ts'
import { minus, sumOf } from '../../i18n/amounts.ts'
import { formatDateTime, formatNumber } from '../../i18n/format.ts'
import { Failure } from '../../ui/failure.tsx'
import { amountOf, ReturnAmount } from '../../ui/return-amount.tsx'
import { Row } from '../../ui/totals.tsx'
import { useReturnPreview, type Wanted } from '../../ui/use-return-preview.ts'
import type { UnsettledReturn } from '../outbox/outbox.ts'
import { Stepper } from '../sale/stepper.tsx'
import { focusOn, useMoney, useTillContext } from '../shell/till-context.ts'
import { useReturnTexts } from './use-return-texts.ts'

type Transaction = Schemas['Transaction']

interface ReturnFormProps {
  readonly sale: Transaction
  readonly onReturn: (given: Omit<UnsettledReturn, 'number' | 'kind'>) => void
}

const linesId = 'till-return-lines'
const returnedStatus = 3

/** Quantity of each line that can still be returned. */
function leftOf(sale: Transaction) {
  return sale.items.map((item) => {
    const returned = sale.returns.flatMap(({ items }) => items).filter(({ id }) => id === item.id)
    return {
      id: item.id ?? '',
      name: item.name ?? item.product ?? item.id ?? '',
      left: minus(item.quantity ?? 1, sumOf(returned.map(({ quantity }) => quantity))),
    }
  })
}

type ReturnLine = ReturnType<typeof leftOf>[number]

export function ReturnForm({ sale, onReturn }: ReturnFormProps) {
  const { t } = useTranslation('till')
  const { timezone } = useTillContext().session.organization
  return (
    <section className="lw-surface till-sheet">
      <Stack gap="md">
        <div>
          <Title order={2} size="h4">
            <bdi>{sale.opaqueId}</bdi>
          </Title>
          <Text size="sm" c="dimmed">
            {formatDateTime(sale.createdAt, timezone)} · {t(`common:status.transaction.${sale.status}`)}
          </Text>
        </div>
        {sale.status === returnedStatus ? (
          <Text>{t('return.nothingLeft')}</Text>
        ) : (
          <Fields sale={sale} onReturn={onReturn} />
        )}
      </Stack>
    </section>
  )
}

function Fields({ sale, onReturn }: ReturnFormProps) {
  const { t } = useTranslation('till')
  const { currency } = useTillContext().session.organization
  const lines = leftOf(sale)
  const [chosen, setChosen] = useState<Chosen>({})
  const [amount, setAmount] = useState<number | string>('')
  const [reason, setReason] = useState('')
  const isWithoutLines = lines.length === 0
  const wanted = isWithoutLines ? wantedAmount(amount) : wantedItems(lines, chosen)
  const preview = useReturnPreview(sale.id, wanted)
  const isReady = wanted !== undefined && (preview.isCurrent || preview.isUnknown)
  useEffect(() => focusOn(linesId), [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isReady) return
    const body = { ...wanted, reason: reason.trim() || undefined }
    onReturn({ transaction: sale.id, receipt: sale.opaqueId, body })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        {isWithoutLines ? (
          <ReturnAmount sale={sale} currency={currency} value={amount} onChange={setAmount} />
        ) : (
          <Lines lines={lines} chosen={chosen} onChoose={setChosen} />
        )}
        <TextInput
          label={t('return.reason')}
          value={reason}
          maxLength={500}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
        <Preview preview={preview} />
        <Group gap="xs">
          <Button type="submit" size="md" disabled={!isReady}>
            {isWithoutLines ? t('return.submitAmount') : t('return.submit')}
          </Button>
          {!isWithoutLines && (
            <Button variant="default" size="md" onClick={() => setChosen(everythingOf(lines))}>
              {t('return.everything')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

/** Quantities to return, by the id of the line. */
type Chosen = Readonly<Record<string, number>>

const everythingOf = (lines: readonly ReturnLine[]): Chosen =>
  Object.fromEntries(lines.map(({ id, left }) => [id, left]))

function wantedItems(lines: readonly ReturnLine[], chosen: Chosen): Wanted | undefined {
  const items = lines.flatMap(({ id }) => (chosen[id] ? [{ id, quantity: chosen[id] }] : []))
  return items.length === 0 ? undefined : { items }
}

function wantedAmount(value: number | string): Wanted | undefined {
  const amount = amountOf(value)
  return amount === null ? undefined : { amount }
}

interface LinesProps {
  readonly lines: readonly ReturnLine[]
  readonly chosen: Chosen
  readonly onChoose: (chosen: Chosen) => void
}

function Lines({ lines, chosen, onChoose }: LinesProps) {
  const { t } = useTranslation('till')
  return (
    <ul className="till-lines" id={linesId} tabIndex={-1} aria-label={t('return.lines')}>
      {lines.map(({ id, name, left }) => (
        <li key={id}>
          <Group justify="space-between" wrap="nowrap" gap="xs">
            <div className="till-wraps">
              <Text fw={500}>{name}</Text>
              <Text size="sm" c="dimmed">
                {t('return.left', { left: formatNumber(left) })}
              </Text>
            </div>
            <Stepper
              name={name}
              value={chosen[id] ?? 0}
              min={0}
              max={left}
              onChange={(quantity) => onChoose({ ...chosen, [id]: quantity })}
            />
          </Group>
        </li>
      ))}
    </ul>
  )
}

/** What the return will do, before it is confirmed. */
function Preview({ preview }: { readonly preview: ReturnType<typeof useReturnPreview> }) {
  const { t } = useTranslation('till')
  const money = useMoney()
  const { shown, isCurrent, error } = preview
  const texts = useReturnTexts(shown)
  return (
    <section aria-label={t('return.preview')} aria-live="polite" className="till-outcome">
      {error && <Failure error={error} />}
      {shown && (
        <>
          <dl className="till-totals">
            <Row label={t('return.toRefund')} value={isCurrent ? money(shown.refundAmount) : '—'} isLarge />
          </dl>
          <ul className="till-effects">
            {texts.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </>
      )}
    </section>
  )
}
