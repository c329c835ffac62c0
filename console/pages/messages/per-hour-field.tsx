import { NumberInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'

interface PerHourFieldProps {
  readonly value: number | string
  readonly onChange: (value: number | string) => void
}

export function PerHourField({ value, onChange }: PerHourFieldProps) {
  const { t } = useTranslation('messages')
  return (
    <NumberInput
      label={t('form.perHour')}
      description={t('form.perHourAbout')}
      value={value}
      onChange={onChange}
      min={1}
      max={100_000}
      allowDecimal={false}
      hideControls
    />
  )
}
