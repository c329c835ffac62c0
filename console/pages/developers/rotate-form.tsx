import { Select, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FormModal } from '../../ui/form.tsx'

/** How long the old secret stays valid, in seconds: not at all, an hour, a day, a week. */
const overlaps = ['0', '3600', '86400', '604800'] as const

interface RotateFormProps<R> {
  readonly name: string
  /** Describes what happens to the old secret. */
  readonly about: string
  readonly rotate: (overlapSeconds: number) => Promise<R>
  readonly onClose: () => void
  readonly onRotated: (result: R) => void
}

export function RotateForm<R>({ name, about, rotate, onClose, onRotated }: RotateFormProps<R>) {
  const { t } = useTranslation('developers')
  const [overlap, setOverlap] = useState<string>('86400')
  const { mutate, isPending, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () => rotate(Number(overlap)),
    onSuccess: (result) => {
      onClose()
      onRotated(result)
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
      <Text size="sm">{about}</Text>
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
