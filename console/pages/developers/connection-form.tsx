import { Checkbox, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { FormModal } from '../../ui/form.tsx'
import type { CredentialsProps } from './credentials.tsx'

const scopes = ['pos', 'manage'] as const
type Scope = (typeof scopes)[number]

interface ConnectionFormProps {
  readonly onClose: () => void
  readonly onCreated: (credentials: Omit<CredentialsProps, 'onClose'>) => void
}

export function ConnectionForm({ onClose, onCreated }: ConnectionFormProps) {
  const { t } = useTranslation('developers')
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<Scope[]>(['pos'])
  const { mutate, isPending, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () => dataOf(api.POST('/v1/connections', { body: { name: name.trim(), scopes: chosen } })),
    onSuccess: async ({ apiKey, apiSecret }) => {
      await queries.invalidateQueries({ queryKey: ['connections'] })
      onClose()
      onCreated({ name: name.trim(), apiKey, apiSecret })
    },
  })
  return (
    <FormModal
      title={t('connections.create')}
      isOpen
      onClose={onClose}
      onSubmit={mutate}
      isBusy={isPending}
      error={error}
      submitLabel={t('connections.create')}
    >
      <TextInput
        label={t('name')}
        description={t('connections.nameAbout')}
        value={name}
        onChange={({ currentTarget: { value } }) => setName(value)}
        required
        maxLength={200}
        data-autofocus
      />
      <Checkbox.Group
        label={t('connections.scopes')}
        value={chosen}
        onChange={(next) => setChosen(next as Scope[])}
      >
        <Stack gap="xs" mt={6}>
          {scopes.map((scope) => (
            <Checkbox
              key={scope}
              value={scope}
              label={t(`scope.${scope}`)}
              description={t(`scopeAbout.${scope}`)}
            />
          ))}
        </Stack>
      </Checkbox.Group>
    </FormModal>
  )
}
