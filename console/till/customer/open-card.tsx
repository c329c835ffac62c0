import { Alert, Button, Select, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import type { Customer } from '../sale/sale.ts'
import { useTillContext } from '../shell/till-context.ts'
import { register } from './register.ts'

interface OpenCardProps {
  readonly customer: Customer
  readonly onCustomer: (customer: Customer) => void
}

/** Adds a card for a known customer who has none. */
export default function OpenCard({ customer, onCustomer }: OpenCardProps) {
  const { t } = useTranslation('till')
  const { campaigns } = useTillContext()
  const [campaignId, setCampaignId] = useState<string | null>(campaigns.at(-1)?.id ?? null)
  const [key] = useState(newIdempotencyKey)
  const { mutate, isPending } = useMutation({
    mutationFn: (id: string) => register({ campaignId: id, customer: { id: customer.id } }, `${key} ${id}`),
    onSuccess: onCustomer,
  })
  return (
    <Alert color="yellow" title={t('customer.noCard')}>
      <Stack gap="xs">
        <Select
          label={t('register.campaign')}
          data={campaigns.map(({ id, name }) => ({ value: id, label: name }))}
          value={campaignId}
          onChange={setCampaignId}
          allowDeselect={false}
        />
        <Button
          loading={isPending}
          disabled={campaignId === null}
          onClick={() => campaignId !== null && mutate(campaignId)}
        >
          {t('customer.openCard')}
        </Button>
      </Stack>
    </Alert>
  )
}
