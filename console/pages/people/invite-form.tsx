import { Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { FormModal } from '../../ui/form.tsx'
import type { Link } from './invitation-link.tsx'
import { type Role, RoleField } from './role-field.tsx'

interface InviteFormProps {
  readonly onClose: () => void
  readonly onInvited: (link: Link) => void
}

export function InviteForm({ onClose, onInvited }: InviteFormProps) {
  const { t } = useTranslation('people')
  const queries = useQueryClient()
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('manager')
  const { mutate, isPending, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () =>
      dataOf(api.POST('/v1/people', { body: { email: email.trim(), name: name.trim() || undefined, role } })),
    onSuccess: async (person) => {
      await queries.invalidateQueries({ queryKey: ['people'] })
      onClose()
      onInvited({ ...person.invitation, email: person.email })
    },
  })
  return (
    <FormModal
      title={t('invite.title')}
      isOpen
      onClose={onClose}
      onSubmit={mutate}
      isBusy={isPending}
      error={error}
      submitLabel={t('invite.submit')}
    >
      <Text size="sm" c="dimmed">
        {t('invite.about')}
      </Text>
      <TextInput
        label={t('email')}
        type="email"
        value={email}
        onChange={({ currentTarget: { value } }) => setEmail(value)}
        required
        maxLength={254}
        data-autofocus
      />
      <TextInput
        label={t('name')}
        description={t('invite.nameAbout')}
        value={name}
        onChange={({ currentTarget: { value } }) => setName(value)}
        maxLength={200}
      />
      <RoleField value={role} onChange={setRole} />
    </FormModal>
  )
}
