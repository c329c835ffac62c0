import { Accordion, ActionIcon, Button, Group, Menu, Stack, Text, Tooltip } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconArrowDown, IconArrowUp, IconPlus, IconTrash } from '../ui/icons.ts'
import { Status } from '../ui/status.tsx'
import {
  type Definition,
  itemsOf,
  type Kind,
  kindOf,
  type ListName,
  namesIn,
  newItem,
  type Shapes,
} from './definition.ts'
import { asText, isSentence, useFacts } from './facts.ts'
import { useForm, useSchemaTexts } from './form-context.ts'
import classes from './item-list.module.css'
import { ObjectFields } from './object-fields.tsx'
import { isAt, isWithin } from './places.ts'
import type { Item } from './schema.ts'

interface ItemListProps {
  readonly list: ListName
  readonly shapes: Shapes
  readonly onItems: (items: readonly Item[]) => void
  readonly onItem: (index: number, item: Item) => void
}

/** A list such as the rules: each item is a line that says what it does and opens into its form. */
export function ItemList({ list, shapes, onItems, onItem }: ItemListProps) {
  const { definition, problem } = useForm()
  const items = itemsOf(definition, list)
  const [keys, changeKeys] = useItemKeys(items.length)
  const [open, setOpen] = useState<string[]>([])
  const placeOf = (index: number) => `${list}[${index}]`
  const badIndex = items.findIndex((_, i) => isWithin(problem, placeOf(i)))
  // An item that the service refused is opened, so that its error can be seen.
  useEffect(() => {
    if (badIndex >= 0) setOpen((before) => [...new Set([...before, keys[badIndex]!])])
  }, [problem, badIndex])

  const add = (kind: Kind) => {
    onItems([...items, newItem(definition, list, kind)])
    const key = changeKeys((before, fresh) => [...before, fresh])
    setOpen([...open, key])
  }
  const remove = (index: number) => {
    onItems(items.filter((_, i) => i !== index))
    changeKeys((before) => before.filter((_, i) => i !== index))
  }
  const move = (index: number, by: 1 | -1) => {
    const swap = <T,>(all: readonly T[]): T[] => {
      const next = [...all]
      next[index] = all[index + by]!
      next[index + by] = all[index]!
      return next
    }
    onItems(swap(items))
    changeKeys(swap)
  }
  return (
    <Stack gap="xs">
      {items.length > 0 && (
        <Accordion
          multiple
          value={open}
          onChange={setOpen}
          variant="contained"
          chevronPosition="left"
          order={3}
        >
          {items.map((item, index) => (
            <Accordion.Item key={keys[index]} value={keys[index]!}>
              <div className={classes.head}>
                <Accordion.Control className={classes.control}>
                  <ItemTitle list={list} item={item} shapes={shapes} hasProblem={index === badIndex} />
                </Accordion.Control>
                <ItemActions
                  index={index}
                  count={items.length}
                  isOrdered={list === 'rules' || list === 'tiers'}
                  onMove={(by) => move(index, by)}
                  onRemove={() => remove(index)}
                />
              </div>
              <Accordion.Panel>
                {isAt(problem, placeOf(index)) && (
                  <Text size="sm" c="red.8" role="alert" mb="xs">
                    {problem.message}
                  </Text>
                )}
                <ItemForm
                  item={item}
                  kind={kindOf(shapes, list, item)}
                  place={placeOf(index)}
                  onChange={(next) => onItem(index, next)}
                />
              </Accordion.Panel>
            </Accordion.Item>
          ))}
        </Accordion>
      )}
      <AddItem list={list} kinds={shapes.lists[list]} onAdd={add} />
    </Stack>
  )
}

/** React keys for the items, which have no id while they are edited. A key moves with its item. */
function useItemKeys(count: number) {
  const [state, setState] = useState({ keys: [] as string[], next: 0 })
  let { keys, next } = state
  // A different count means that the list was changed elsewhere, such as in the JSON editor.
  if (keys.length !== count) {
    keys = keys.slice(0, count)
    while (keys.length < count) keys.push(`item-${next++}`)
    setState({ keys, next })
  }
  const change = (edit: (before: readonly string[], fresh: string) => string[]): string => {
    const fresh = `item-${next}`
    setState({ keys: edit(keys, fresh), next: next + 1 })
    return fresh
  }
  return [keys, change] as const
}

interface ItemTitleProps {
  readonly list: ListName
  readonly item: Item
  readonly shapes: Shapes
  readonly hasProblem: boolean
}

function ItemTitle({ list, item, shapes, hasProblem }: ItemTitleProps) {
  const { t } = useTranslation('forms')
  const { definition, currency, timeZone } = useForm()
  const text = useSchemaTexts()
  const { factsOf } = useFacts(definition, currency, timeZone)
  const kind = kindOf(shapes, list, item)
  const name = typeof item.name === 'string' ? item.name : rewardOf(definition, item)
  const facts = kind ? factsOf(item, kind.schema) : []
  const lead = name && list === 'rewards' && !facts.some(isSentence) ? [text(kind?.title)] : []
  return (
    <div>
      <Group gap="xs">
        <Text fw={550}>{name ?? (text(kind?.title) || String(item.kind ?? t('unknownKind')))}</Text>
        {hasProblem && <Status tone="wrong">{t('hasProblem')}</Status>}
      </Group>
      <Text size="sm" c="dimmed" lineClamp={2}>
        {[...lead, ...facts.map(asText)].join(' · ')}
      </Text>
    </div>
  )
}

/** A threshold has no name and is identified by its reward. */
function rewardOf(definition: Definition, { grant }: Item): string | undefined {
  return namesIn(definition, 'rewards').find(({ value }) => value === grant)?.label
}

interface ItemFormProps {
  readonly item: Item
  readonly kind: Kind | undefined
  readonly place: string
  readonly onChange: (item: Item) => void
}

function ItemForm({ item, kind, place, onChange }: ItemFormProps) {
  const { t } = useTranslation('forms')
  if (!kind) return <Text c="dimmed">{t('unknownKindAbout')}</Text>
  return <ObjectFields schema={kind.schema} value={item} onChange={onChange} place={place} />
}

interface ItemActionsProps {
  readonly index: number
  readonly count: number
  /** Whether the order of the items matters. */
  readonly isOrdered: boolean
  readonly onMove: (by: 1 | -1) => void
  readonly onRemove: () => void
}

function ItemActions({ index, count, isOrdered, onMove, onRemove }: ItemActionsProps) {
  const { t } = useTranslation('forms')
  const number = index + 1
  return (
    <Group gap={2} wrap="nowrap" pe="xs">
      {isOrdered && (
        <>
          <ItemButton label={t('moveUp', { number })} isDisabled={index === 0} onClick={() => onMove(-1)}>
            <IconArrowUp size={16} />
          </ItemButton>
          <ItemButton
            label={t('moveDown', { number })}
            isDisabled={number === count}
            onClick={() => onMove(1)}
          >
            <IconArrowDown size={16} />
          </ItemButton>
        </>
      )}
      <ItemButton label={t('removeItem', { number })} onClick={onRemove}>
        <IconTrash size={16} />
      </ItemButton>
    </Group>
  )
}

interface ItemButtonProps {
  readonly label: string
  readonly isDisabled?: boolean
  readonly onClick: () => void
  readonly children: React.ReactNode
}

function ItemButton({ label, isDisabled, onClick, children }: ItemButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} disabled={isDisabled} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  )
}

interface AddItemProps {
  readonly list: ListName
  readonly kinds: readonly Kind[]
  readonly onAdd: (kind: Kind) => void
}

/** A button for a single kind, a menu with descriptions for several. */
function AddItem({ list, kinds, onAdd }: AddItemProps) {
  const { t } = useTranslation('forms')
  const text = useSchemaTexts()
  const button = (onClick?: () => void) => (
    <Button
      variant="light"
      size="sm"
      leftSection={<IconPlus size={16} />}
      style={{ alignSelf: 'flex-start' }}
      onClick={onClick}
    >
      {t(`add.${list}`)}
    </Button>
  )
  if (kinds.length === 1) return button(() => onAdd(kinds[0]!))
  return (
    <Menu position="bottom-start" width={340} returnFocus={false}>
      <Menu.Target>{button()}</Menu.Target>
      <Menu.Dropdown>
        {kinds.map((kind) => (
          <Menu.Item key={kind.kind} onClick={() => onAdd(kind)}>
            <Text size="sm" fw={550}>
              {text(kind.title)}
            </Text>
            <Text size="xs" c="dimmed">
              {text(kind.description)}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
