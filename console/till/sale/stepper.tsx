import { ActionIcon, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../i18n/format.ts'
import { IconMinus, IconPlus } from '../../ui/icons.ts'

interface StepperProps {
  /** Name of the item, part of each button's label. */
  readonly name: string
  readonly value: number
  readonly min: number
  readonly max?: number
  readonly onChange: (value: number) => void
}

/** A quantity with a button to decrease and a button to increase it. */
export function Stepper({ name, value, min, max = Number.POSITIVE_INFINITY, onChange }: StepperProps) {
  const { t } = useTranslation('till')
  return (
    <Group gap={4} wrap="nowrap" role="group" aria-label={t('stepper.of', { name })}>
      <ActionIcon
        variant="default"
        size={44}
        aria-label={t('stepper.less', { name })}
        disabled={value <= min}
        onClick={() => onChange(Math.max(min, value - 1))}
      >
        <IconMinus size={18} />
      </ActionIcon>
      <Text miw={34} ta="center" fw={600} className="lw-tabular" aria-live="polite">
        {formatNumber(value)}
      </Text>
      <ActionIcon
        variant="default"
        size={44}
        aria-label={t('stepper.more', { name })}
        disabled={value >= max}
        onClick={() => onChange(Math.min(max, value + 1))}
      >
        <IconPlus size={18} />
      </ActionIcon>
    </Group>
  )
}
