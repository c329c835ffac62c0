import { NumberInput, Switch } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** Which sales are accepted. */
export interface SalesValues {
  readonly strictReferences: boolean
  /** Text while it is being typed. */
  readonly maxBackdateDays: number | string
}

export function SalesFields({
  value: { strictReferences, maxBackdateDays },
  onChange,
}: {
  readonly value: SalesValues
  readonly onChange: (value: SalesValues) => void
}) {
  const { t } = useTranslation('settings')
  return (
    <>
      <Switch
        label={t('organization.strictReferences')}
        description={t('organization.strictReferencesAbout')}
        checked={strictReferences}
        onChange={({ currentTarget: { checked } }) =>
          onChange({ strictReferences: checked, maxBackdateDays })
        }
        maw={640}
      />
      <NumberInput
        label={t('organization.maxBackdateDays')}
        description={t('organization.maxBackdateDaysAbout')}
        value={maxBackdateDays}
        onChange={(days) => onChange({ strictReferences, maxBackdateDays: days })}
        required
        min={0}
        max={3650}
        allowDecimal={false}
        maw={640}
      />
    </>
  )
}
