import { TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { sessionQuery } from '../../api/session.ts'
import { FormModal } from '../../ui/form.tsx'
import { toast } from '../../ui/toast.ts'
import { RoleField } from './role-field.tsx'

interface ChangeFormProps {
  readonly person: Schemas['Person']
  readonly onClose: () => void
}

export function ChangeForm({ person, onClose }: ChangeFormProps) {
  const { t } = useTranslation('people')
  const queries = useQueryClient()
  const [name, setName] = useState(person.name ?? '')
  const [role, setRole] = useState(person.role)
  const { mutate, isPending, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () =>
      dataOf(
        api.PATCH('/v1/people/{id}', {
          params: { path: { id: person.id } },
          body: { name: name.trim() || null, role },
        }),
      ),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['people'] })
      // People can change their own role, and then the menu may show less.
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
      toast.success(t('common:saved'))
      onClose()
    },
  })
  return (
    <FormModal
      title={t('change.title', { email: person.email })}
      isOpen
      onClose={onClose}
      onSubmit={mutate}
      isBusy={isPending}
      error={error}
      submitLabel={t('common:save')}
    >
      <TextInput
        label={t('name')}
        value={name}
        onChange={({ currentTarget: { value } }) => setName(value)}
        maxLength={200}
        data-autofocus
      />
      <RoleField value={role} onChange={setRole} />
    </FormModal>
  )
}
