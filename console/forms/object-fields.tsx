import { ActionIcon, Box, Button, Group, Menu, Stack, Text, Tooltip } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useForm, useSchemaTexts } from './form-context.ts'
import { fieldId, isWithin } from './places.ts'
import { type Item, type Member, membersOf, type Schema, withMember } from './schema.ts'
import { SchemaField } from './schema-field.tsx'

interface ObjectFieldsProps {
  readonly schema: Schema
  readonly value: Item
  readonly onChange: (value: Item) => void
  readonly place: string
}

/** Shown without being asked for: what is quick to fill in, and what is only on or off. */
const isAlwaysShown = ({ name, schema, isRequired }: Member) =>
  isRequired || name === 'name' || (schema.type === 'boolean' && schema.default !== undefined)

/** The fields of an object; optional ones are added and removed one by one. */
export function ObjectFields({ schema, value, onChange, place }: ObjectFieldsProps) {
  const { t } = useTranslation('forms')
  const text = useSchemaTexts()
  const { problem } = useForm()
  // Asked for, and still without a value.
  const [added, setAdded] = useState<readonly string[]>([])
  const inside = (name: string) => (place === '' ? name : `${place}.${name}`)
  const members = membersOf(schema)
  const isShown = (member: Member) =>
    isAlwaysShown(member) ||
    member.name in value ||
    added.includes(member.name) ||
    isWithin(problem, inside(member.name))
  const add = ({ name, schema: member }: Member) => {
    setAdded([...added, name])
    if (member.type === 'object') onChange({ ...value, [name]: {} })
    if (member.type === 'boolean') onChange({ ...value, [name]: true })
    // The menu takes the focus back when it closes; then it is the new field's turn.
    setTimeout(() => document.getElementById(fieldId(inside(name)))?.focus(), 150)
  }
  const change = (member: Member, next: unknown) => {
    if (!isAlwaysShown(member) && !added.includes(member.name)) setAdded([...added, member.name])
    onChange(withMember(value, member.name, next))
  }
  const remove = (name: string) => {
    setAdded(added.filter((item) => item !== name))
    onChange(withMember(value, name, undefined))
  }
  const addable = members.filter((member) => !isShown(member))
  return (
    <Stack gap="sm">
      {members.filter(isShown).map((member) => (
        <Group key={member.name} gap={4} wrap="nowrap" align="flex-start">
          <Box flex={1} miw={0}>
            <SchemaField
              {...member}
              value={value[member.name]}
              onChange={(next) => change(member, next)}
              place={inside(member.name)}
            >
              {member.schema.type === 'object' && (
                <ObjectFields
                  schema={member.schema}
                  value={(value[member.name] ?? {}) as Item}
                  onChange={(next) => change(member, next)}
                  place={inside(member.name)}
                />
              )}
            </SchemaField>
          </Box>
          {!isAlwaysShown(member) && (
            <Tooltip label={t('removeOption', { name: text(member.schema.title) || member.name })}>
              <ActionIcon
                variant="subtle"
                color="gray"
                onClick={() => remove(member.name)}
                aria-label={t('removeOption', { name: text(member.schema.title) || member.name })}
              >
                <IconX size={16} aria-hidden />
              </ActionIcon>
            </Tooltip>
          )}
        </Group>
      ))}
      {addable.length > 0 && <AddMenu members={addable} onAdd={add} />}
    </Stack>
  )
}

function AddMenu({
  members,
  onAdd,
}: {
  readonly members: readonly Member[]
  readonly onAdd: (member: Member) => void
}) {
  const { t } = useTranslation('forms')
  const text = useSchemaTexts()
  return (
    <Menu position="bottom-start" width={320} returnFocus={false}>
      <Menu.Target>
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<IconPlus size={14} aria-hidden />}
          style={{ alignSelf: 'flex-start' }}
        >
          {t('addOption')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={360} style={{ overflowY: 'auto' }}>
        {members.map((member) => (
          <Menu.Item key={member.name} onClick={() => onAdd(member)}>
            <Text size="sm">{text(member.schema.title) || member.name}</Text>
            <Text size="xs" c="dimmed">
              {text(member.schema.description)}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
