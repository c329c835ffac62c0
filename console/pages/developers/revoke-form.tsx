import { Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { FormModal } from '../../ui/form.tsx'
import { toast } from '../../ui/toast.ts'

interface RevokeFormProps {
  readonly connection: Schemas['OwnConnection']
  readonly onClose: () => void
}

export function RevokeForm({ connection, onClose }: RevokeFormProps) {
  const { t } = useTranslation('developers')
  const queries = useQueryClient()
  const name = connection.name ?? connection.id
  const { mutate, isPending, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () =>
      dataOf(api.POST('/v1/connections/{id}/revoke', { params: { path: { id: connection.id } } })),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['connections'] })
      toast.success(t('revoke.done', { name }))
      onClose()
    },
  })
  return (
    <FormModal
      title={t('revoke.title', { name })}
      isOpen
      onClose={onClose}
      onSubmit={mutate}
      isBusy={isPending}
      error={error}
      submitLabel={t('revoke.action')}
      isDangerous
    >
      <Text size="sm">{t('revoke.about')}</Text>
    </FormModal>
  )
}
