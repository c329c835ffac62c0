import { Select, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { FormModal } from '../../ui/form.tsx'
import type { CredentialsProps } from './credentials.tsx'

/** How long the old secret stays valid, in seconds: not at all, an hour, a day, a week. */
const overlaps = ['0', '3600', '86400', '604800'] as const

interface RotateFormProps {
  readonly connection: Schemas['OwnConnection']
  readonly onClose: () => void
  readonly onRotated: (credentials: Omit<CredentialsProps, 'onClose'>) => void
}

export function RotateForm({ connection, onClose, onRotated }: RotateFormProps) {
  const { t } = useTranslation('developers')
  const [overlap, setOverlap] = useState<string>('86400')
  const name = connection.name ?? connection.id
  const { mutate, isPending, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () =>
      dataOf(
        api.POST('/v1/connections/{id}/rotate', {
          params: { path: { id: connection.id } },
          body: { overlapSeconds: Number(overlap) },
        }),
      ),
    onSuccess: ({ apiSecret }) => {
      onClose()
      onRotated({ name, apiSecret })
    },
  })
  return (
    <FormModal
      title={t('rotate.title', { name })}
      isOpen
      onClose={onClose}
      onSubmit={mutate}
      isBusy={isPending}
      error={error}
      submitLabel={t('rotate.submit')}
    >
      <Text size="sm">{t('rotate.about')}</Text>
      <Select
        label={t('rotate.overlap')}
        data={overlaps.map((seconds) => ({ value: seconds, label: t(`rotate.overlaps.${seconds}`) }))}
        value={overlap}
        onChange={(value) => value && setOverlap(value)}
        allowDeselect={false}
      />
    </FormModal>
  )
}
