import { Group, Input, NativeSelect, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { NumberField } from './number-field.tsx'

const units = ['D', 'W', 'M', 'Y'] as const
const pattern = /^P(\d+)([DWMY])$/

interface DurationFieldProps {
  readonly id: string
  readonly label: string
  readonly description?: string
  readonly error?: string
  readonly required?: boolean
  readonly value: string | undefined
  readonly onChange: (value: string | undefined) => void
}

/** A duration as a number and a unit, stored as ISO 8601. A combined duration is edited as text. */
export function DurationField({ value, onChange, ...props }: DurationFieldProps) {
  const { t } = useTranslation('forms')
  const match = pattern.exec(value ?? 'P0M')
  if (!match) {
    return (
      <TextInput
        {...props}
        value={value ?? ''}
        onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
      />
    )
  }
  const count = value === undefined ? undefined : Number(match[1])
  const unit = match[2]!
  return (
    <Input.Wrapper {...props} labelProps={{ htmlFor: props.id }}>
      <Group gap="xs" wrap="nowrap" mt={4}>
        <NumberField
          id={props.id}
          flex={1}
          maw={140}
          value={count}
          onChange={(next) => onChange(next === undefined ? undefined : `P${next}${unit}`)}
          allowDecimal={false}
          allowNegative={false}
          error={props.error !== undefined}
        />
        <NativeSelect
          aria-label={t('duration.unit')}
          value={unit}
          data={units.map((item) => ({ value: item, label: t(`duration.${item}`) }))}
          onChange={({ currentTarget }) => onChange(`P${count ?? 1}${currentTarget.value}`)}
        />
      </Group>
    </Input.Wrapper>
  )
}
