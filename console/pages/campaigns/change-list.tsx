import { Badge, Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import type { Definition, Shapes } from '../../forms/definition.ts'
import { itemsOf, kindOf } from '../../forms/definition.ts'
import { useFacts } from '../../forms/facts.ts'
import { useSchemaTexts } from '../../forms/form-context.ts'
import { describePlace } from '../../forms/places.ts'
import type { Item, Schema } from '../../forms/schema.ts'
import { IconArrowNarrowRight } from '../../ui/icons.ts'
import classes from './change-list.module.css'

interface ChangeListProps {
  readonly changes: readonly Schemas['DefinitionChange'][]
  readonly shapes: Shapes
  readonly before: Definition
  readonly after: Definition
}

/** The changes that the service found, place by place, with the old and the new value. */
export function ChangeList({ changes, shapes, before, after }: ChangeListProps) {
  const { t } = useTranslation('campaigns')
  const text = useSchemaTexts()
  const { currency, timezone } = useSession().organization
  const old = useFacts(before, currency, timezone)
  const now = useFacts(after, currency, timezone)
  return (
    <Stack gap="xs" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {changes.map((change) => {
        const place = describePlace(change.place, shapes, [after, before], {
          section: (list) => t(`sections.${list}.title`),
          text,
        })
        const show = (value: unknown, facts: typeof now) =>
          inWords(value, change.place, place.schema, shapes, facts, text)
        return (
          <li key={change.place} className={classes.change}>
            <Group gap="xs" wrap="nowrap" align="flex-start">
              <What change={change} />
              <Text size="sm" fw={550}>
                {place.titles.join(' › ')}
              </Text>
            </Group>
            <Group gap="xs" align="center">
              {change.before !== undefined && (
                <Text size="sm" className={classes.before}>
                  {change.after !== undefined && <span className={classes.sign}>{t('changes.before')} </span>}
                  {show(change.before, old)}
                </Text>
              )}
              {change.before !== undefined && change.after !== undefined && (
                <IconArrowNarrowRight size={16} className={classes.arrow} />
              )}
              {change.after !== undefined && (
                <Text size="sm">
                  {change.before !== undefined && <span className={classes.sign}>{t('changes.after')} </span>}
                  {show(change.after, now)}
                </Text>
              )}
            </Group>
          </li>
        )
      })}
    </Stack>
  )
}

function What({ change: { before, after } }: { readonly change: Schemas['DefinitionChange'] }) {
  const { t } = useTranslation('campaigns')
  const [what, color] =
    before === undefined
      ? (['added', 'pine'] as const)
      : after === undefined
        ? (['removed', 'red'] as const)
        : (['changed', 'gray'] as const)
  return (
    <Badge variant="light" color={color} miw="max-content">
      {t(`changes.${what}`)}
    </Badge>
  )
}

type Facts = ReturnType<typeof useFacts>

/** Describes a whole list or item by its fields. */
function inWords(
  value: unknown,
  place: string,
  schema: Schema | undefined,
  shapes: Shapes,
  facts: Facts,
  text: (text: string | undefined) => string,
): string {
  const list = place in shapes.lists ? (place as keyof Shapes['lists']) : undefined
  if (!list) return facts.inWords(value, schema)
  return itemsOf({ [list]: value }, list)
    .map((item: Item) => {
      const kind = kindOf(shapes, list, item)
      const inner = facts.inWords(item, kind?.schema)
      return [typeof item.name === 'string' ? item.name : text(kind?.title), inner].filter(Boolean).join(': ')
    })
    .join('; ')
}
