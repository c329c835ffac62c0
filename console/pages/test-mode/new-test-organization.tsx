import { Checkbox, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { FormModal } from '../../ui/form.tsx'
import type { CredentialsProps } from '../developers/credentials.tsx'

type Part = Schemas['CopiedPart']

const parts: readonly Part[] = ['settings', 'campaigns', 'branches', 'products', 'messages']

interface NewTestOrganizationProps {
  readonly onClose: () => void
  readonly onCreated: (credentials: Omit<CredentialsProps, 'onClose'>) => void
}

export function NewTestOrganization({ onClose, onCreated }: NewTestOrganizationProps) {
  const { t } = useTranslation('test-mode')
  const queries = useQueryClient()
  const { organization } = useSession()
  const [name, setName] = useState(() => t('create.suggestion', { name: organization.name }))
  const [copy, setCopy] = useState(parts)
  const { mutate, isPending, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () =>
      dataOf(api.POST('/v1/test-organizations', { body: { name: name.trim(), copy: [...copy] } })),
    onSuccess: async ({ apiKey, apiSecret }) => {
      await queries.invalidateQueries({ queryKey: ['test-organizations'] })
      onClose()
      onCreated({ name: name.trim(), apiKey, apiSecret })
    },
  })
  return (
    <FormModal
      title={t('create.action')}
      isOpen
      onClose={onClose}
      onSubmit={mutate}
      isBusy={isPending}
      error={error}
      submitLabel={t('create.action')}
    >
      <TextInput
        label={t('create.name')}
        description={t('create.nameAbout')}
        value={name}
        onChange={({ currentTarget: { value } }) => setName(value)}
        required
        maxLength={200}
        data-autofocus
      />
      <Checkbox.Group
        label={t('create.copy')}
        description={t('create.copyAbout')}
        value={[...copy]}
        onChange={(next) => setCopy(next as Part[])}
      >
        <Stack gap="xs" mt={6}>
          {parts.map((part) => (
            <Checkbox key={part} value={part} label={t(`parts.${part}`)} />
          ))}
        </Stack>
      </Checkbox.Group>
    </FormModal>
  )
}
