import { Checkbox, Radio, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { type EventType, eventTypes, useEventWords } from '../../i18n/event-words.ts'
import { FormModal } from '../../ui/form.tsx'
import { toast } from '../../ui/toast.ts'
import type { Webhook } from './webhook.ts'

interface WebhookFormProps {
  /** The webhook to change; without one, a new one is added. */
  readonly webhook?: Webhook
  readonly onClose: () => void
  readonly onAdded?: (secret: string) => void
}

interface Values {
  readonly url: string
  readonly description: string
  readonly isAll: boolean
  readonly types: readonly EventType[]
}

export function WebhookForm({ webhook, onClose, onAdded }: WebhookFormProps) {
  const { t } = useTranslation('webhooks')
  const [values, setValues] = useState<Values>({
    url: webhook?.url ?? '',
    description: webhook?.description ?? '',
    isAll: webhook?.types === undefined,
    types: webhook?.types ?? [],
  })
  const set = (changes: Partial<Values>) => setValues((before) => ({ ...before, ...changes }))
  const [isTried, setTried] = useState(false)
  const { mutate, isPending, error } = useSave(webhook, onClose, onAdded)
  const lacksTypes = !values.isAll && values.types.length === 0
  return (
    <FormModal
      title={t(webhook ? 'form.edit' : 'add')}
      isOpen
      isWide
      onClose={onClose}
      onSubmit={() => {
        setTried(true)
        if (!lacksTypes) mutate(values)
      }}
      isBusy={isPending}
      error={error}
      submitLabel={webhook ? t('common:save') : t('add')}
    >
      <TextInput
        type="url"
        dir="ltr"
        label={t('form.address')}
        description={t('form.addressAbout')}
        placeholder="https://example.com/events"
        value={values.url}
        onChange={({ currentTarget: { value } }) => set({ url: value })}
        required
        maxLength={2_000}
        data-autofocus
      />
      <TextInput
        label={t('form.description')}
        description={t('form.descriptionAbout')}
        value={values.description}
        onChange={({ currentTarget: { value } }) => set({ description: value })}
        maxLength={200}
      />
      <AllOrSome isAll={values.isAll} onChange={(isAll) => set({ isAll })} />
      {!values.isAll && (
        <TypeChoice
          chosen={values.types}
          onChange={(types) => set({ types })}
          error={isTried && lacksTypes ? t('form.chooseOne') : undefined}
        />
      )}
    </FormModal>
  )
}

interface AllOrSomeProps {
  readonly isAll: boolean
  readonly onChange: (isAll: boolean) => void
}

function AllOrSome({ isAll, onChange }: AllOrSomeProps) {
  const { t } = useTranslation('webhooks')
  return (
    <Radio.Group
      label={t('form.which')}
      value={isAll ? 'all' : 'some'}
      onChange={(choice) => onChange(choice === 'all')}
    >
      <Stack gap="xs" mt={6}>
        <Radio value="all" label={t('form.all')} description={t('form.allAbout')} />
        <Radio value="some" label={t('form.some')} />
      </Stack>
    </Radio.Group>
  )
}

interface TypeChoiceProps {
  readonly chosen: readonly EventType[]
  readonly onChange: (types: readonly EventType[]) => void
  readonly error: string | undefined
}

function TypeChoice({ chosen, onChange, error }: TypeChoiceProps) {
  const { t } = useTranslation('webhooks')
  const wordsOf = useEventWords()
  return (
    <Checkbox.Group
      label={t('form.types')}
      value={[...chosen]}
      onChange={(types) => onChange(types as EventType[])}
      error={error}
    >
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="xs" my={6}>
        {eventTypes.map((type) => (
          <Checkbox key={type} value={type} label={wordsOf(type)} description={t(`typeAbout.${type}`)} />
        ))}
      </SimpleGrid>
    </Checkbox.Group>
  )
}

function useSave(webhook: Webhook | undefined, onClose: () => void, onAdded: WebhookFormProps['onAdded']) {
  const { t } = useTranslation('common')
  const queries = useQueryClient()
  return useMutation({
    meta: { isShownInPlace: true },
    mutationFn: (values: Values) => save(webhook, values),
    onSuccess: async (secret) => {
      await queries.invalidateQueries({ queryKey: ['webhooks'] })
      onClose()
      if (secret === undefined) toast.success(t('saved'))
      else onAdded?.(secret)
    },
  })
}

/** Returns the secret of a new webhook. */
async function save(webhook: Webhook | undefined, values: Values): Promise<string | undefined> {
  const url = values.url.trim()
  const description = values.description.trim()
  const types = values.isAll ? undefined : [...values.types]
  if (!webhook) {
    const body = { url, description: description || undefined, types }
    const { secret } = await dataOf(api.POST('/v1/webhooks', { body }))
    return secret
  }
  const body = { url, description: description || null, types: types ?? null }
  await dataOf(api.PATCH('/v1/webhooks/{id}', { params: { path: { id: webhook.id } }, body }))
  return undefined
}
