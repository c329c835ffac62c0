import { useTranslation } from 'react-i18next'
import { cardAddress } from './offline.ts'
import type { CodeKind } from './use-code-kind.ts'

/** The code to scan, always dark on white with space around it, and the number to type. */
export function CodePicture({ barcode, kind }: { readonly barcode: string; readonly kind: CodeKind }) {
  const { t } = useTranslation('wallet')
  return (
    <>
      <img className={kind} src={`${cardAddress}/${kind}.svg`} alt={t('codeOf', { number: barcode })} />
      <p className="number" dir="ltr">
        {barcode.replace(/(\d{4})(?=\d)/g, '$1 ')}
      </p>
    </>
  )
}

interface KindChoiceProps {
  readonly name: string
  readonly kind: CodeKind
  readonly onChange: (kind: CodeKind) => void
}

const kinds: readonly CodeKind[] = ['code128', 'qr']

export function KindChoice({ name, kind, onChange }: KindChoiceProps) {
  const { t } = useTranslation('wallet')
  return (
    <fieldset className="kinds">
      <legend>{t('codeKind')}</legend>
      {kinds.map((item) => (
        <label key={item}>
          <input type="radio" name={name} checked={kind === item} onChange={() => onChange(item)} />
          <span>{t(item)}</span>
        </label>
      ))}
    </fieldset>
  )
}
