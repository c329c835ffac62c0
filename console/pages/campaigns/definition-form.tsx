import { Paper, Stack, Switch, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import {
  changeItem,
  changeList,
  type Definition,
  isItem,
  type ListName,
  namesIn,
  type Shapes,
} from '../../forms/definition.ts'
import { useForm } from '../../forms/form-context.ts'
import { ItemList } from '../../forms/item-list.tsx'
import { ObjectFields } from '../../forms/object-fields.tsx'
import { type Item, startOf } from '../../forms/schema.ts'

interface DefinitionFormProps {
  readonly shapes: Shapes
  readonly onChange: (definition: Definition) => void
  /** Whether keys may still follow the names they were made from. */
  readonly canRename: boolean
}

/** Sections in the order in which a merchant thinks: what is earned, how, and for which rewards. */
export function DefinitionForm({ shapes, onChange, canRename }: DefinitionFormProps) {
  const { definition } = useForm()
  const list = (name: ListName) => (
    <Section name={name}>
      <ItemList
        list={name}
        shapes={shapes}
        onItems={(items) => onChange(changeList(definition, name, items))}
        onItem={(index, next) =>
          onChange(changeItem(definition, { shapes, list: name, index, next }, canRename))
        }
      />
    </Section>
  )
  return (
    <Stack gap="lg">
      <Section name="general">
        <GeneralFields shapes={shapes} onChange={onChange} />
      </Section>
      {list('balances')}
      {list('rules')}
      {list('rewards')}
      {list('thresholds')}
      <Section name="spend">
        <SpendFields shapes={shapes} onChange={onChange} />
      </Section>
      {list('tiers')}
    </Stack>
  )
}

function Section({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  const { t } = useTranslation('campaigns')
  const id = useId()
  return (
    <Paper className="lw-surface" p={{ base: 'md', sm: 'lg' }} component="section" aria-labelledby={id}>
      <Title order={2} size="h4" id={id}>
        {t(`sections.${name}.title`)}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t(`sections.${name}.about`)}
      </Text>
      {children}
    </Paper>
  )
}

type FieldsProps = Omit<DefinitionFormProps, 'canRename'>

function GeneralFields({ shapes, onChange }: FieldsProps) {
  const { definition } = useForm()
  const isGeneral = (name: string) => Object.hasOwn(shapes.campaign.properties ?? {}, name)
  const part = (wanted: boolean): Item =>
    Object.fromEntries(Object.entries(definition).filter(([name]) => isGeneral(name) === wanted))
  return (
    <ObjectFields
      schema={shapes.campaign}
      value={part(true)}
      onChange={(next) => onChange({ ...next, ...part(false) })}
      place=""
    />
  )
}

function SpendFields({ shapes, onChange }: FieldsProps) {
  const { t } = useTranslation('campaigns')
  const { definition } = useForm()
  const { spend, ...rest } = definition
  const start = () => startOf(shapes.spend, (names) => namesIn(definition, names))
  return (
    <Stack gap="sm">
      <Switch
        label={t('sections.spend.switch')}
        checked={isItem(spend)}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? { ...rest, spend: start() } : rest)}
      />
      {isItem(spend) && (
        <ObjectFields
          schema={shapes.spend}
          value={spend}
          onChange={(next) => onChange({ ...definition, spend: next })}
          place="spend"
        />
      )}
    </Stack>
  )
}
