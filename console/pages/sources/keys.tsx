import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure } from '../../ui/failure.tsx'
import { FormModal } from '../../ui/form.tsx'
import { IconCheck } from '../../ui/icons.ts'
import { toast } from '../../ui/toast.ts'
import { patchSource, type Source } from './requests.ts'

/** The signing key, and for Square the access token. Neither is ever shown again. */
type Key = 'secret' | 'accessToken'
type Keys = Partial<Record<Key, string>>

const keysOf = ({ kind }: Source): readonly Key[] =>
  kind === 'square' ? ['secret', 'accessToken'] : ['secret']

const hasKey = (source: Source, key: Key): boolean =>
  key === 'secret' ? source.hasSecret : source.hasAccessToken === true

interface KeyInputsProps {
  readonly source: Source
  readonly shown: readonly Key[]
  readonly isRequired?: boolean
  readonly keys: Keys
  readonly onChange: (keys: Keys) => void
}

function KeyInputs({ source, shown, isRequired, keys, onChange }: KeyInputsProps) {
  const { t } = useTranslation('sources')
  return shown.map((key, index) => (
    <PasswordInput
      key={key}
      label={t(`keys.${key}`)}
      description={t(`keys.${key}About.${source.kind}`)}
      dir="ltr"
      value={keys[key] ?? ''}
      onChange={({ currentTarget: { value } }) => onChange({ ...keys, [key]: value })}
      required={isRequired}
      minLength={16}
      maxLength={key === 'secret' ? 200 : 500}
      autoComplete="new-password"
      data-autofocus={index === 0 || undefined}
    />
  ))
}

function useSaveKeys({ id }: Source, onDone: () => void) {
  const { t } = useTranslation('common')
  const queries = useQueryClient()
  return useMutation({
    meta: { isShownInPlace: true },
    mutationFn: ({ secret, accessToken }: Keys) =>
      patchSource(id, { secret: secret?.trim() || undefined, accessToken: accessToken?.trim() || undefined }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['sources'] })
      onDone()
      toast.success(t('saved'))
    },
  })
}

/** The keys that are still missing, to be pasted, and those that are there. */
export function KeyStep({ source }: { readonly source: Source }) {
  const { t } = useTranslation('sources')
  const [keys, setKeys] = useState<Keys>({})
  const { mutate, isPending, error } = useSaveKeys(source, () => setKeys({}))
  const missing = keysOf(source).filter((key) => !hasKey(source, key))
  const there = keysOf(source).filter((key) => hasKey(source, key))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate(keys)
  }
  return (
    <Stack gap="sm" maw={520}>
      {there.map((key) => (
        <Group key={key} gap={6} wrap="nowrap">
          <IconCheck size={16} />
          <Text size="sm">{t(`keys.${key}There`)}</Text>
        </Group>
      ))}
      {missing.length > 0 && (
        <form onSubmit={submit}>
          <Stack gap="sm">
            {error && <Failure error={error} />}
            <KeyInputs source={source} shown={missing} isRequired keys={keys} onChange={setKeys} />
            <Group>
              <Button type="submit" loading={isPending}>
                {t('keys.save')}
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Stack>
  )
}

/** Replaces one key or both; an empty field leaves the old one. */
export function KeysModal({ source, onClose }: { readonly source: Source; readonly onClose: () => void }) {
  const { t } = useTranslation('sources')
  const [keys, setKeys] = useState<Keys>({})
  const { mutate, isPending, error } = useSaveKeys(source, onClose)
  const shown = keysOf(source)
  const isEmpty = shown.every((key) => !keys[key]?.trim())
  return (
    <FormModal
      title={t('keys.replace')}
      isOpen
      onClose={onClose}
      onSubmit={() => mutate(keys)}
      isBusy={isPending}
      isBlocked={isEmpty}
      error={error}
      submitLabel={t('common:save')}
    >
      <Text size="sm">{t('keys.replaceAbout')}</Text>
      <KeyInputs source={source} shown={shown} keys={keys} onChange={setKeys} />
    </FormModal>
  )
}
