import { List, Stack, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { type Definition, isItem, itemsOf, kindOf, listNames, type Shapes } from '../../forms/definition.ts'
import { asText, useFacts } from '../../forms/facts.ts'
import { useSchemaTexts } from '../../forms/form-context.ts'

interface DefinitionViewProps {
  readonly definition: Definition
  readonly shapes: Shapes
  readonly currency: string
  readonly timeZone: string
}

/** A definition to read: what it says, list by list, in words. */
export function DefinitionView({ definition, shapes, currency, timeZone }: DefinitionViewProps) {
  const { t } = useTranslation('campaigns')
  const text = useSchemaTexts()
  const { factsOf } = useFacts(definition, currency, timeZone)
  const general = factsOf(only(definition, Object.keys(shapes.campaign.properties ?? {})), shapes.campaign)
  const sections = [
    ...listNames.map((list) => ({
      name: list as string,
      lines: itemsOf(definition, list).map((item) => {
        const kind = kindOf(shapes, list, item)
        const title = typeof item.name === 'string' ? item.name : text(kind?.title) || String(item.kind ?? '')
        const facts = factsOf(item, kind?.schema ?? {})
        return { title, facts: facts.map(asText) }
      }),
    })),
    {
      name: 'spend',
      lines: isItem(definition.spend)
        ? [{ title: '', facts: factsOf(definition.spend, shapes.spend).map(asText) }]
        : [],
    },
  ]
  return (
    <Stack gap="sm">
      {general.length > 0 && <Text size="sm">{general.map(asText).join(' · ')}</Text>}
      {sections
        .filter(({ lines }) => lines.length > 0)
        .map(({ name, lines }) => (
          <div key={name}>
            <Title order={3} size="sm">
              {t(`sections.${name}.title`)}
            </Title>
            <List size="sm" listStyleType="none" spacing={4} mt={2}>
              {lines.map(({ title, facts }, i) => (
                <List.Item key={i}>
                  {title && (
                    <Text span inherit>
                      {title}{' '}
                    </Text>
                  )}
                  <Text span inherit c="dimmed">
                    {facts.join(' · ')}
                  </Text>
                </List.Item>
              ))}
            </List>
          </div>
        ))}
    </Stack>
  )
}

function only(definition: Definition, names: readonly string[]): Definition {
  return Object.fromEntries(Object.entries(definition).filter(([name]) => names.includes(name)))
}
