import { useTranslation } from 'react-i18next'
import { type Program, useProgram } from '../../i18n/campaign-names.ts'

/** Names the fields of rows: those of columns, and those that problems are about. */
export function useFieldWords() {
  const { t } = useTranslation('import')
  const program = useProgram()
  return (field: string): string => wordsOf(field, t, program)
}

function wordsOf(
  field: string,
  t: (key: string | string[], values?: Record<string, string>) => string,
  program: Program,
): string {
  const [kind = '', ...rest] = field.split(':')
  const name = rest.join(':')
  if (kind === 'meta') return t('field.meta', { name })
  if (kind === 'consent') return name === 'marketing' ? t('field.marketing') : t('field.consent', { name })
  if (kind === 'barcode' && name) return t('field.barcodeOf', { campaign: name })
  const [, key, part = 'amount'] =
    /^balance:(.+?)(?::(expires|total|lots))?$/.exec(field) ??
    /^balances\.(.+?)(?:\.(expiresAt|total))?$/.exec(field) ??
    []
  if (key)
    return t(`field.balance.${part === 'expiresAt' ? 'expires' : part}`, {
      balance: program.balanceName(key),
    })
  return t([`field.${kind}`, field])
}
