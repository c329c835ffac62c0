import { NumberInput, type NumberInputProps } from '@mantine/core'
import { useState } from 'react'

interface NumberFieldProps extends Omit<NumberInputProps, 'value' | 'onChange'> {
  readonly value: number | undefined
  readonly onChange: (value: number | undefined) => void
}

/** A number as the reader's language writes it. What is being typed, such as `1.`, stays as it is typed. */
export function NumberField({ value, onChange, ...props }: NumberFieldProps) {
  const [text, setText] = useState<string | number>(value ?? '')
  const typed = toNumber(text)
  // The value came from somewhere else meanwhile, such as the JSON.
  const shown = typed === value ? text : (value ?? '')
  return (
    <NumberInput
      hideControls
      clampBehavior="none"
      inputMode="decimal"
      {...props}
      value={shown}
      onChange={(next) => {
        setText(next)
        onChange(toNumber(next))
      }}
    />
  )
}

const toNumber = (text: string | number): number | undefined =>
  text === '' || Number.isNaN(Number(text)) ? undefined : Number(text)
