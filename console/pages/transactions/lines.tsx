import { Table, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { formatMoney, formatNumber } from '../../i18n/format.ts'
import classes from '../../ui/lists/data-list.module.css'
import { Section } from '../../ui/section.tsx'

export type Sale = Schemas['Transaction']
export type Line = Sale['items'][number]

export const lineName = ({ name, product, id }: Line): string => name ?? product ?? id ?? ''

/** Returned quantity of each line, over all returns. */
export function returnedOf(sale: Sale, line: Line): number {
  const returned = sale.returns.flatMap(({ items }) => items).filter(({ id }) => id === line.id)
  return exact(returned.reduce((sum, { quantity }) => sum + quantity, 0))
}

export const leftOf = (sale: Sale, line: Line): number => exact((line.quantity ?? 1) - returnedOf(sale, line))

/** Quantities such as 0.1 and 0.2 add up to 0.3 here, as they do at the till. */
const exact = (quantity: number) => Math.round(quantity * 1e6) / 1e6

/** Lines as the till sent them. */
export function Lines({ sale }: { readonly sale: Sale }) {
  const { t } = useTranslation('transactions')
  const { currency } = useSession().organization
  const money = (value: number | undefined) => (value === undefined ? '' : formatMoney(value, currency))
  const hasReturns = sale.returns.length > 0
  const cells = [
    { key: 'quantity', of: (line: Line) => formatNumber(line.quantity ?? 1) },
    { key: 'unitPrice', of: (line: Line) => money(line.unitPrice) },
    { key: 'amount', of: (line: Line) => money(line.amount) },
    { key: 'discount', of: (line: Line) => money(line.discountAmount) },
    ...(hasReturns ? [{ key: 'returned', of: (line: Line) => formatNumber(returnedOf(sale, line)) }] : []),
  ].filter(({ of }) => sale.items.some((line) => of(line) !== ''))
  return (
    <Section title={t('lines.title')}>
      {sale.items.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('lines.none')}
        </Text>
      ) : (
        <div className={classes.onPhone}>
          <Table className={classes.table} horizontalSpacing={0} verticalSpacing="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('lines.product')}</Table.Th>
                {cells.map(({ key }) => (
                  <Table.Th key={key} ta="end" ps={{ base: 0, sm: 'md' }}>
                    {t(`lines.${key}`)}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {sale.items.map((line) => (
                <Table.Tr key={line.id}>
                  <Table.Td data-label={t('lines.product')}>
                    <div>
                      <Text size="sm" fw={550}>
                        {lineName(line)}
                      </Text>
                      <Text size="xs" c="dimmed">
                        {[t('lines.lineNumber', { id: line.id }), line.category].filter(Boolean).join(' · ')}
                      </Text>
                    </div>
                  </Table.Td>
                  {cells.map(({ key, of }) => (
                    <Table.Td
                      key={key}
                      ta="end"
                      ps={{ base: 0, sm: 'md' }}
                      className="lw-tabular"
                      data-label={t(`lines.${key}`)}
                    >
                      {of(line)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </Section>
  )
}
