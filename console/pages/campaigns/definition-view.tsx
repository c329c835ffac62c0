import { List, Stack, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import {
  type Definition,
  isItem,
  itemsOf,
  kindOf,
  type ListName,
  listNames,
  type Shapes,
} from '../../forms/definition.ts'
import { asText, useFacts } from '../../forms/facts.ts'
import { useSchemaTexts } from '../../forms/form-context.ts'
import { withId } from '../../forms/rule-words.ts'
import type { Item, Schema } from '../../forms/schema.ts'
import { inOneLine } from '../../i18n/balance-words.ts'
import classes from './change-list.module.css'

interface DefinitionViewProps {
  readonly definition: Definition
  readonly shapes: Shapes
  readonly currency: string
  readonly timeZone: string
  /** The definition to compare with; facts that it does not contain word for word are marked. */
  readonly beside?: Definition
}

interface Line {
  readonly title: string
  readonly facts: string
}

/** A definition in words, list by list, read-only. */
export function DefinitionView({ definition, shapes, currency, timeZone, beside }: DefinitionViewProps) {
  const { t } = useTranslation('campaigns')
  const sections = useLines(definition, shapes, currency, timeZone)
  const others = useLines(beside ?? definition, shapes, currency, timeZone)
  const isNew = (section: string, line: Line) =>
    beside !== undefined &&
    !others
      .find(({ name }) => name === section)
      ?.lines.some(({ title, facts }) => title === line.title && facts === line.facts)
  return (
    <Stack gap="sm">
      {sections
        .filter(({ lines }) => lines.length > 0)
        .map(({ name, lines }) => (
          <div key={name}>
            <Title order={3} size="sm">
              {t(`sections.${name}.title`)}
            </Title>
            <List size="sm" listStyleType="none" spacing={4} mt={2}>
              {lines.map((line, i) => (
                <List.Item key={i} className={isNew(name, line) ? classes.differs : undefined}>
                  {isNew(name, line) && <span className={classes.sign}>{t('versions.differs')} </span>}
                  {line.title && (
                    <Text span inherit>
                      <bdi>{line.title}</bdi>{' '}
                    </Text>
                  )}
                  <Text span inherit c="dimmed">
                    {line.facts}
                  </Text>
                </List.Item>
              ))}
            </List>
          </div>
        ))}
    </Stack>
  )
}

function useLines(definition: Definition, shapes: Shapes, currency: string, timeZone: string) {
  const text = useSchemaTexts()
  const { factsOf } = useFacts(definition, currency, timeZone)
  const inWords = (item: Item, schema: Schema) => inOneLine(factsOf(item, schema).map(asText))
  const general = inWords(only(definition, Object.keys(shapes.campaign.properties ?? {})), shapes.campaign)
  const lineOf = (list: ListName, item: Item): Line => {
    const kind = kindOf(shapes, list, item)
    const kindTitle = text(kind?.title) || String(item.kind ?? '')
    // An item with neither name nor kind is identified by its content.
    const title =
      kind?.kind === '' ? '' : typeof item.id === 'string' ? withId(kindTitle, item.id) : kindTitle
    return {
      title: typeof item.name === 'string' ? item.name : title,
      facts: inWords(item, kind?.schema ?? {}),
    }
  }
  return [
    { name: 'general', lines: general ? [{ title: '', facts: general }] : [] },
    ...listNames.map((list) => ({
      name: list as string,
      lines: itemsOf(definition, list).map((item) => lineOf(list, item)),
    })),
    {
      name: 'spend',
      lines: isItem(definition.spend) ? [{ title: '', facts: inWords(definition.spend, shapes.spend) }] : [],
    },
  ]
}

function only(definition: Definition, names: readonly string[]): Definition {
  return Object.fromEntries(Object.entries(definition).filter(([name]) => names.includes(name)))
}
