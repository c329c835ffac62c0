import {
  Chip,
  Fieldset,
  Group,
  Input,
  SegmentedControl,
  Select,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { DurationField } from './duration-field.tsx'
import { useForm, useSchemaTexts } from './form-context.ts'
import { fieldToMoment, momentToField } from './local-time.ts'
import { NameField, NamesField } from './names-field.tsx'
import { NumberField } from './number-field.tsx'
import { fieldId, isAt } from './places.ts'
import type { Schema } from './schema.ts'

interface SchemaFieldProps {
  readonly name: string
  readonly schema: Schema
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  /** Path in the definition, such as `rules[0].points`. */
  readonly place: string
  readonly isRequired: boolean
  /** The fields of an object, which are schema fields themselves. */
  readonly children: ReactNode
}

/** One field of a definition, rendered as the input that fits its schema. */
export function SchemaField({
  name,
  schema,
  value,
  onChange,
  place,
  isRequired,
  children,
}: SchemaFieldProps) {
  const { problem } = useForm()
  const text = useSchemaTexts()
  const field = {
    id: fieldId(place),
    label: text(schema.title) || name,
    description: text(schema.description) || undefined,
    error: isAt(problem, place) ? problem.message : undefined,
    required: isRequired,
  }
  const props = { field, schema, value, onChange, place }
  if (schema.type === 'object') return <ObjectField field={field}>{children}</ObjectField>
  if (schema.type === 'array') return <ListField {...props} />
  if (schema.type === 'boolean') return <YesNoField {...props} />
  if (schema.type === 'number' || schema.type === 'integer') return <AmountField {...props} />
  if (schema.enum) return <ChoiceField {...props} />
  return <TextField {...props} />
}

interface FieldProps {
  readonly field: {
    readonly id: string
    readonly label: string
    readonly description?: string
    readonly error?: string
    readonly required: boolean
  }
  readonly schema: Schema
  readonly value: unknown
  readonly onChange: (value: unknown) => void
  readonly place: string
}

function ObjectField({ field, children }: Pick<FieldProps, 'field'> & { readonly children: ReactNode }) {
  return (
    <Fieldset legend={field.label} id={field.id} tabIndex={-1} variant="filled" p="sm">
      <Stack gap="sm">
        {field.description && (
          <Text size="xs" c="dimmed">
            {field.description}
          </Text>
        )}
        {field.error && (
          <Text size="sm" c="red.8" role="alert">
            {field.error}
          </Text>
        )}
        {children}
      </Stack>
    </Fieldset>
  )
}

function ListField({ field, schema, value, onChange }: FieldProps) {
  const text = useSchemaTexts()
  const values = Array.isArray(value) ? value.map(String) : []
  const choices = schema.items?.enum
  if (choices) {
    return (
      <Input.Wrapper {...field} labelElement="div" id={`${field.id}-group`}>
        <Chip.Group
          multiple
          value={values}
          onChange={(next) => onChange(choices.filter((choice) => next.includes(choice)))}
        >
          <Group gap={6} mt={6} role="group" aria-label={field.label} id={field.id} tabIndex={-1}>
            {choices.map((choice) => (
              <Chip key={choice} value={choice} size="sm">
                {text(schema.items?.['x-labels']?.[choice]) || choice}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
      </Input.Wrapper>
    )
  }
  const names = schema['x-names']
  return names ? (
    <NamesField {...field} list={names} value={values} onChange={onChange} />
  ) : (
    <TagsInput {...field} value={values} onChange={onChange} />
  )
}

function YesNoField({ field, schema, value, onChange }: FieldProps) {
  const { t } = useTranslation('common')
  if (schema.default !== undefined) {
    const isOn = value === undefined ? schema.default === true : value === true
    const { required: _, ...plain } = field
    // The default value is left out of the definition.
    return (
      <Switch
        {...plain}
        checked={isOn}
        onChange={({ currentTarget: { checked } }) =>
          onChange(checked === schema.default ? undefined : checked)
        }
      />
    )
  }
  return (
    <Input.Wrapper {...field} labelElement="div" id={`${field.id}-group`}>
      <div>
        <SegmentedControl
          id={field.id}
          mt={6}
          aria-label={field.label}
          data={[
            { value: 'yes', label: t('yes') },
            { value: 'no', label: t('no') },
          ]}
          value={value === false ? 'no' : 'yes'}
          onChange={(next) => onChange(next === 'yes')}
        />
      </div>
    </Input.Wrapper>
  )
}

function AmountField({ field, schema, value, onChange }: FieldProps) {
  const { currency } = useForm()
  const unit = schema['x-unit'] === 'money' ? currency : schema['x-unit'] === 'percent' ? '%' : undefined
  return (
    <NumberField
      {...field}
      value={typeof value === 'number' ? value : undefined}
      onChange={onChange}
      placeholder={typeof schema.default === 'number' ? String(schema.default) : undefined}
      allowDecimal={schema.type === 'number'}
      allowNegative={false}
      rightSection={
        unit ? (
          <Text size="xs" c="dimmed">
            {unit}
          </Text>
        ) : undefined
      }
      rightSectionWidth={unit ? 48 : undefined}
      maw={320}
    />
  )
}

function ChoiceField({ field, schema, value, onChange }: FieldProps) {
  const text = useSchemaTexts()
  const data = schema.enum!.map((item) => ({ value: item, label: text(schema['x-labels']?.[item]) || item }))
  return (
    <Select
      {...field}
      data={data}
      value={(value ?? schema.default ?? null) as string | null}
      onChange={(next) => onChange(next ?? undefined)}
      allowDeselect={false}
      maw={320}
    />
  )
}

function TextField({ field, schema, value, onChange }: FieldProps) {
  const { timeZone } = useForm()
  const given = typeof value === 'string' ? value : undefined
  const names = schema['x-names']
  if (names) return <NameField {...field} list={names} value={given} onChange={(next) => onChange(next)} />
  if (schema['x-unit'] === 'duration') return <DurationField {...field} value={given} onChange={onChange} />
  const isMoment = schema['x-unit'] === 'time'
  const isTime = schema['x-unit'] === 'time of day'
  return (
    <TextInput
      {...field}
      type={isMoment ? 'datetime-local' : isTime ? 'time' : 'text'}
      maxLength={isMoment || isTime ? undefined : schema.maxLength}
      value={isMoment && given ? momentToField(given, timeZone) : (given ?? '')}
      onChange={({ currentTarget: { value: next } }) =>
        onChange(isMoment && next ? fieldToMoment(next, given, timeZone) : next)
      }
      maw={isMoment || isTime ? 320 : undefined}
    />
  )
}
