import { Button, Group, Stack, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError, api, dataOf, type Schemas } from '../../api/client.ts'
import { Failure } from '../../ui/failure.tsx'
import type { UnsettledReturn } from '../outbox/outbox.ts'
import { ReturnForm } from './return-form.tsx'

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
        {sale && <ReturnForm key={`${sale.id} ${sale.returns.length}`} sale={sale} onReturn={onReturn} />}
      </Stack>
    </main>
  )
}
