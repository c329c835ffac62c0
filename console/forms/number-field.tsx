import { NumberInput, type NumberInputProps } from '@mantine/core'
import { useState } from 'react'

interface NumberFieldProps extends Omit<NumberInputProps, 'value' | 'onChange'> {
  readonly value: number | undefined
  readonly onChange: (value: number | undefined) => void
}

/** A number in the format of the reader's language. Unfinished input, such as `1.`, is kept as typed. */
export function NumberField({ value, onChange, ...props }: NumberFieldProps) {
  const [text, setText] = useState<string | number>(value ?? '')
  const typed = toNumber(text)
  // The value was changed elsewhere in the meantime, such as in the JSON editor.
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
