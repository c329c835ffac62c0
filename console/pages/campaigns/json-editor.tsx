import { Group, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Definition, isItem } from '../../forms/definition.ts'
import { Copy } from '../../ui/copy.tsx'

interface JsonEditorProps {
  readonly definition: Definition
  readonly isReadOnly: boolean
  readonly onChange: (definition: Definition) => void
  readonly onBroken: (isBroken: boolean) => void
}

/** The whole definition as text. Valid JSON is applied immediately; until then the form stays as it was. */
export function JsonEditor({ definition, isReadOnly, onChange, onBroken }: JsonEditorProps) {
  const { t } = useTranslation('campaigns')
  const [text, setText] = useState(() => write(definition))
  const read = readJson(text)
  // When the definition was discarded or saved elsewhere, the text follows unless it is already equal.
  const isSame = 'value' in read && JSON.stringify(read.value) === JSON.stringify(definition)
  const [seen, setSeen] = useState(definition)
  if (seen !== definition) {
    setSeen(definition)
    if (!isSame) {
      setText(write(definition))
      onBroken(false)
    }
  }
  const edit = (next: string) => {
    setText(next)
    const result = readJson(next)
    onBroken(!('value' in result))
    if ('value' in result) onChange(result.value)
  }
  const problem =
    'value' in read
      ? undefined
      : read.line === undefined
        ? t(`json.${read.problem}`)
        : t('json.line', { line: read.line, column: read.column })
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {t('json.about')}
        </Text>
        <Copy value={text} />
      </Group>
      <Textarea
        aria-label={t('tabs.json')}
        value={text}
        onChange={({ currentTarget }) => edit(currentTarget.value)}
        readOnly={isReadOnly}
        error={problem}
        autosize
        minRows={16}
        spellCheck={false}
        dir="ltr"
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
      />
    </Stack>
  )
}

const write = (definition: Definition) => JSON.stringify(definition, null, 2)

type Reading =
  | { readonly value: Definition }
  | { readonly problem: 'unreadable' | 'noObject'; readonly line?: number; readonly column?: number }

function readJson(text: string): Reading {
  try {
    const value: unknown = JSON.parse(text)
    return isItem(value) ? { value } : { problem: 'noObject' }
  } catch (error) {
    // Each browser words the position differently; without one, only the plain message is shown.
    const message = error instanceof Error ? error.message : ''
    const lineAndColumn = /line (\d+) column (\d+)/.exec(message)
    if (lineAndColumn) {
      return { problem: 'unreadable', line: Number(lineAndColumn[1]), column: Number(lineAndColumn[2]) }
    }
    const position = /position (\d+)/.exec(message)
    if (!position) return { problem: 'unreadable' }
    const before = text.slice(0, Number(position[1])).split('\n')
    return { problem: 'unreadable', line: before.length, column: before.at(-1)!.length + 1 }
  }
}
