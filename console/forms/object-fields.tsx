import { ActionIcon, Box, Button, Group, Menu, Stack, Text, Tooltip } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconPlus, IconX } from '../ui/icons.ts'
import { useForm, useSchemaTexts } from './form-context.ts'
import { fieldId, isWithin } from './places.ts'
import { type Field, fieldsOf, type Item, type Schema, withField } from './schema.ts'
import { SchemaField } from './schema-field.tsx'

interface ObjectFieldsProps {
  readonly schema: Schema
  readonly value: Item
  readonly onChange: (value: Item) => void
  readonly place: string
}

/** Fields that are shown from the start: those that are quick to fill in, and switches. */
const isAlwaysShown = ({ name, schema, isRequired }: Field) =>
  isRequired || name === 'name' || (schema.type === 'boolean' && schema.default !== undefined)

/** The fields of an object; optional ones are added and removed one by one. */
export function ObjectFields({ schema, value, onChange, place }: ObjectFieldsProps) {
  const { t } = useTranslation('forms')
  const text = useSchemaTexts()
  const { problem } = useForm()
  // Fields that were added and have no value yet.
  const [added, setAdded] = useState<readonly string[]>([])
  const inside = (name: string) => (place === '' ? name : `${place}.${name}`)
  const fields = fieldsOf(schema)
  const isShown = (field: Field) =>
    isAlwaysShown(field) ||
    field.name in value ||
    added.includes(field.name) ||
    isWithin(problem, inside(field.name))
  const add = ({ name, schema: field }: Field) => {
    setAdded([...added, name])
    if (field.type === 'object') onChange({ ...value, [name]: {} })
    if (field.type === 'boolean') onChange({ ...value, [name]: true })
    // The new field gets the focus after the closing menu has taken it back.
    setTimeout(() => document.getElementById(fieldId(inside(name)))?.focus(), 150)
  }
  const change = (field: Field, next: unknown) => {
    if (!isAlwaysShown(field) && !added.includes(field.name)) setAdded([...added, field.name])
    onChange(withField(value, field.name, next))
  }
  const remove = (name: string) => {
    setAdded(added.filter((item) => item !== name))
    onChange(withField(value, name, undefined))
  }
  const addable = fields.filter((field) => !isShown(field))
  return (
    <Stack gap="sm">
      {fields.filter(isShown).map((field) => (
        <Group key={field.name} gap={4} wrap="nowrap" align="flex-start">
          <Box flex={1} miw={0}>
            <SchemaField
              {...field}
              value={value[field.name]}
              onChange={(next) => change(field, next)}
              place={inside(field.name)}
            >
              {field.schema.type === 'object' && (
                <ObjectFields
                  schema={field.schema}
                  value={(value[field.name] ?? {}) as Item}
                  onChange={(next) => change(field, next)}
                  place={inside(field.name)}
                />
              )}
            </SchemaField>
          </Box>
          {!isAlwaysShown(field) && (
            <Tooltip label={t('removeOption', { name: text(field.schema.title) || field.name })}>
              <ActionIcon
                variant="subtle"
                color="gray"
                onClick={() => remove(field.name)}
                aria-label={t('removeOption', { name: text(field.schema.title) || field.name })}
              >
                <IconX size={16} />
              </ActionIcon>
            </Tooltip>
          )}
        </Group>
      ))}
      {addable.length > 0 && <AddMenu fields={addable} onAdd={add} />}
    </Stack>
  )
}

function AddMenu({
  fields,
  onAdd,
}: {
  readonly fields: readonly Field[]
  readonly onAdd: (field: Field) => void
}) {
  const { t } = useTranslation('forms')
  const text = useSchemaTexts()
  return (
    <Menu position="bottom-start" width={320} returnFocus={false}>
      <Menu.Target>
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<IconPlus size={14} />}
          style={{ alignSelf: 'flex-start' }}
        >
          {t('addOption')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
        {fields.map((field) => (
          <Menu.Item key={field.name} onClick={() => onAdd(field)}>
            <Text size="sm">{text(field.schema.title) || field.name}</Text>
            <Text size="xs" c="dimmed">
              {text(field.schema.description)}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
