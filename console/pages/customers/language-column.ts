import { useTranslation } from 'react-i18next'
import type { Schemas } from '../../api/client.ts'
import type { Column } from '../../ui/lists/data-list.tsx'

/** In which customers are written to; empty for that of the organization. */
export function useLanguageColumn(): Column<Schemas['Customer']> {
  const { t } = useTranslation('customers')
  return { key: 'language', label: t('language'), isOnlyCsv: true, cell: ({ language }) => language }
}
