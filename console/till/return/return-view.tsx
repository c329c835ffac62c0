import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError, api, dataOf, type Schemas } from '../../api/client.ts'
import { minus, sumOf } from '../../i18n/amounts.ts'
import { formatDateTime, formatNumber } from '../../i18n/format.ts'
import { Failure } from '../../ui/failure.tsx'
import type { UnsettledReturn } from '../outbox/outbox.ts'
import { Stepper } from '../sale/stepper.tsx'
import { focusOn, useTillContext } from '../shell/till-context.ts'

type Transaction = Schemas['Transaction']

interface ReturnViewProps {
  /** The receipt that is shown first. */
  readonly receipt?: string
  /** The service's response to the last attempt. */
  readonly refused: unknown
  readonly onReturn: (given: Omit<UnsettledReturn, 'number' | 'kind'>) => void
  readonly onBack: () => void
}

async function readSale(opaqueId: string): Promise<Transaction> {
  const { data } = await dataOf(api.GET('/v1/transactions', { params: { query: { opaqueId } } }))
  if (!data[0]) throw new ApiError(404, 'transaction_not_found', '')
  return data[0]
}

export default function ReturnView({ receipt, refused, onReturn, onBack }: ReturnViewProps) {
  const { t } = useTranslation('till')
  const [number, setNumber] = useState(receipt ?? '')
  const {
    mutate,
    data: sale,
    error,
    isPending,
  } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: readSale,
  })
  useEffect(() => {
    if (receipt) mutate(receipt)
  }, [receipt, mutate])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (number.trim()) mutate(number.trim())
  }
  return (
    <main className="till-alone" id="till-main" tabIndex={-1}>
      <Stack gap="lg" maw={560} w="100%">
        <Group justify="space-between">
          <Title order={1} size="h2">
            {t('return.title')}
          </Title>
          <Button variant="default" onClick={onBack}>
            {t('return.back')}
          </Button>
        </Group>
        <form onSubmit={submit}>
          <Group gap="xs" align="flex-end" wrap="nowrap">
            <TextInput
              label={t('return.receipt')}
              flex={1}
              value={number}
              onChange={({ currentTarget }) => setNumber(currentTarget.value)}
              autoComplete="off"
              autoFocus
            />
            <Button type="submit" loading={isPending}>
              {t('return.find')}
            </Button>
          </Group>
        </form>
        {error && <Failure error={error} />}
        {refused !== undefined && <Failure error={refused} />}
        {sale && <Lines key={`${sale.id} ${sale.returns.length}`} sale={sale} onReturn={onReturn} />}
      </Stack>
    </main>
  )
}

const linesId = 'till-return-lines'

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

function Lines({
  sale,
  onReturn,
}: {
  readonly sale: Transaction
  readonly onReturn: ReturnViewProps['onReturn']
}) {
  const { t } = useTranslation('till')
  const { timezone } = useTillContext().session.organization
  const lines = leftOf(sale)
  const [chosen, setChosen] = useState<Readonly<Record<string, number>>>({})
  const [reason, setReason] = useState('')
  const everything = Object.fromEntries(lines.map(({ id, left }) => [id, left]))
  const items = lines.flatMap(({ id }) => (chosen[id] ? [{ id, quantity: chosen[id] }] : []))
  const hasLeft = sale.status !== 3
  useEffect(() => focusOn(linesId), [])
  const isWithoutLines = lines.length === 0
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onReturn({
      transaction: sale.id,
      receipt: sale.opaqueId,
      body: { items: isWithoutLines ? undefined : items, reason: reason.trim() || undefined },
    })
  }
  return (
    <form onSubmit={submit} className="lw-surface till-sheet">
      <Stack gap="md">
        <div>
          <Title order={2} size="h4">
            <bdi>{sale.opaqueId}</bdi>
          </Title>
          <Text size="sm" c="dimmed">
            {formatDateTime(sale.createdAt, timezone)} · {t(`common:status.transaction.${sale.status}`)}
          </Text>
        </div>
        {!hasLeft && <Text>{t('return.nothingLeft')}</Text>}
        {hasLeft && isWithoutLines && <Text>{t('return.whole')}</Text>}
        {hasLeft && !isWithoutLines && (
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
                    onChange={(quantity) => setChosen((before) => ({ ...before, [id]: quantity }))}
                  />
                </Group>
              </li>
            ))}
          </ul>
        )}
        {hasLeft && (
          <>
            <TextInput
              label={t('return.reason')}
              value={reason}
              maxLength={500}
              onChange={({ currentTarget }) => setReason(currentTarget.value)}
            />
            <Group gap="xs">
              <Button type="submit" size="md" disabled={!isWithoutLines && items.length === 0}>
                {t('return.submit')}
              </Button>
              {!isWithoutLines && (
                <Button variant="default" size="md" onClick={() => setChosen(everything)}>
                  {t('return.everything')}
                </Button>
              )}
            </Group>
          </>
        )}
      </Stack>
    </form>
  )
}
