import { List, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useSession } from '../../api/session.ts'
import { formatDateTime, formatList, formatMoney, formatNumber } from '../../i18n/format.ts'
import { Facts } from '../../ui/section.tsx'
import type { ItemMade, Made, ReturnMade, SaleMade } from './requests.ts'

/** A sale or a return as a person reads it. */
export function MadeSummary({ made }: { readonly made: Exclude<Made, { type: 'nothing' }> }) {
  return (
    <Stack gap="md">
      {made.type === 'sale' ? <SaleSummary sale={made} /> : <ReturnSummary made={made} />}
      {made.also?.map((other) => (
        <ReturnSummary key={other.opaqueId} made={other} />
      ))}
    </Stack>
  )
}

const identities = ['fullname', 'barcode', 'email', 'phone', 'opaqueId'] as const

function SaleSummary({ sale }: { readonly sale: SaleMade }) {
  const { t } = useTranslation('sources')
  const { currency: own, timezone } = useSession().organization
  const currency = sale.currency ?? own
  const money = (value: number | undefined) => (value === undefined ? undefined : moneyIn(value, currency))
  const { opaqueId, who, items, occurredAt, branch, user } = sale
  const known = identities.filter((identity) => who[identity])
  return (
    <Stack gap="xs">
      <Text fw={600}>{t('made.sale', { number: opaqueId })}</Text>
      <Facts
        facts={[
          {
            label: t('made.who'),
            value:
              known.length === 0
                ? t('made.nobody')
                : formatList(known.map((identity) => t(`made.by.${identity}`, { value: who[identity] }))),
          },
          {
            label: t('made.items'),
            value: items && items.length > 0 && <Items items={items} currency={currency} />,
          },
          { label: t('made.amount'), value: money(sale.amount) },
          { label: t('made.discount'), value: money(sale.discountAmount) },
          { label: t('made.discounted'), value: money(sale.discountedAmount) },
          { label: t('made.when'), value: occurredAt && whenText(occurredAt, timezone) },
          { label: t('made.branch'), value: branch },
          { label: t('made.user'), value: user },
        ]}
      />
    </Stack>
  )
}

/** A mapping can return a text that is no time. */
const whenText = (at: string, timezone: string): string =>
  Number.isNaN(Date.parse(at)) ? at : formatDateTime(at, timezone)

/** A currency that the sender has made up is no reason to break the page. */
function moneyIn(value: number, currency: string): string {
  return /^[A-Za-z]{3}$/.test(currency)
    ? formatMoney(value, currency.toUpperCase())
    : `${formatNumber(value)} ${currency}`
}

function Items({ items, currency }: { readonly items: readonly ItemMade[]; readonly currency: string }) {
  const { t } = useTranslation('sources')
  const textOf = ({ quantity = 1, name, product, id, unitPrice, amount, discountAmount }: ItemMade) => {
    const price = amount ?? unitPrice
    const values = {
      quantity: formatNumber(quantity),
      name: name ?? product ?? id ?? '',
      price: price === undefined ? '' : moneyIn(price, currency),
      discount: discountAmount === undefined ? '' : moneyIn(discountAmount, currency),
    }
    if (price === undefined) return t('made.item', values)
    const kind = amount === undefined ? 'Each' : ''
    return t(discountAmount ? `made.itemLess${kind}` : `made.itemFor${kind}`, values)
  }
  return (
    <List size="sm" listStyleType="none" spacing={2}>
      {items.map((item, index) => (
        <List.Item key={item.id ?? index}>{textOf(item)}</List.Item>
      ))}
    </List>
  )
}

function ReturnSummary({ made }: { readonly made: ReturnMade }) {
  const { t } = useTranslation('sources')
  const { currency: own } = useSession().organization
  const { sale, items, amount, reason, currency = own } = made
  const isAll = !items?.length && amount === undefined
  return (
    <Stack gap="xs">
      <Text fw={600}>{t('made.return', { number: sale })}</Text>
      <Facts
        facts={[
          { label: t('made.returned'), value: isAll && t('made.everything') },
          {
            label: t('made.items'),
            value:
              items &&
              items.length > 0 &&
              formatList(
                items.map(({ id, quantity }) =>
                  t('made.returnedItem', { quantity: formatNumber(quantity), id }),
                ),
              ),
          },
          { label: t('made.amount'), value: amount !== undefined && moneyIn(amount, currency) },
          { label: t('made.reason'), value: reason },
        ]}
      />
    </Stack>
  )
}
