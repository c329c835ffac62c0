import { useTranslation } from 'react-i18next'
import type { Schemas } from '../../api/client.ts'
import type { Column } from '../../ui/lists/data-list.tsx'
import { consentsOf, lastChange } from './consents.tsx'

type Customer = Schemas['Customer']

/** Whether customers agreed to marketing; the CSV file also has since when, and all purposes. */
export function useConsentColumns(): Column<Customer>[] {
  const { t } = useTranslation('customers')
  return [
    {
      key: 'marketing',
      label: t('marketing'),
      cell: ({ consents }) =>
        consents?.marketing === undefined ? '' : t(consents.marketing ? 'common:yes' : 'common:no'),
    },
    {
      key: 'marketingSince',
      label: t('marketingSince'),
      isOnlyCsv: true,
      cell: (customer) => lastChange(customer, 'marketing')?.at,
    },
    {
      key: 'agreed',
      label: t('agreed'),
      isOnlyCsv: true,
      cell: (customer) => agreedBy(customer).join(' '),
    },
  ]
}

const agreedBy = (customer: Customer): string[] =>
  Object.entries(consentsOf(customer)).flatMap(([purpose, isGiven]) => (isGiven ? [purpose] : []))
