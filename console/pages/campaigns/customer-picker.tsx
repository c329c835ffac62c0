import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'

export interface PickedWallet {
  readonly balances: Readonly<Record<string, number>>
  readonly totals: Readonly<Record<string, number>>
  readonly visits: number
}

/** Fills the preview's wallet with the balances of a real customer. */
export function CustomerPicker({ onPick }: { readonly onPick: (wallet: PickedWallet) => void }) {
  const { t } = useTranslation('campaigns')
  const [search, setSearch] = useState('')
  const [asked] = useDebouncedValue(search.trim(), 250)
  const { data } = useQuery({
    queryKey: ['customers', 'picker', asked],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/v1/customers', { params: { query: { q: asked || undefined, limit: 10 } }, signal })),
    placeholderData: keepPreviousData,
  })
  const [picked, setPicked] = useState<Schemas['Customer']>()
  const customers = [...(data?.data ?? [])]
  if (picked && !customers.some(({ id }) => id === picked.id)) customers.push(picked)
  const { mutate } = useMutation({
    mutationFn: async (customer: Schemas['Customer']) => {
      const query = { customer: customer.id, limit: 1 }
      const { data: sales } = await dataOf(api.GET('/v1/transactions', { params: { query } }))
      return { customer, visits: sales.length }
    },
    onSuccess: ({ customer, visits }) => {
      const parts = Object.entries(customer.collectables)
      onPick({
        balances: Object.fromEntries(parts.map(([key, { value }]) => [key, value])),
        totals: Object.fromEntries(parts.map(([key, { total }]) => [key, total])),
        visits,
      })
    },
  })
  return (
    <Select
      label={t('preview.customer')}
      description={t('preview.customerAbout')}
      placeholder={t('preview.customerSearch')}
      data={customers.map(({ id, data: { fullname, phone, email } }) => ({
        value: id,
        label: fullname ?? phone ?? email ?? id,
      }))}
      // The service has already matched phone, email and barcode too.
      filter={({ options }) => options}
      value={picked?.id ?? null}
      onChange={(id) => {
        const customer = customers.find((item) => item.id === id)
        setPicked(customer)
        if (customer) mutate(customer)
      }}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      nothingFoundMessage={t('preview.noCustomer')}
    />
  )
}
