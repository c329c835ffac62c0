import { Button, Group, Modal, Stack } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure } from './failure.tsx'

interface FormModalProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onSubmit: () => void
  readonly isBusy: boolean
  /** Error of the last attempt, shown above the fields. */
  readonly error?: unknown
  readonly submitLabel: string
  readonly isDangerous?: boolean
  /** Whether something is missing that cannot be entered here. */
  readonly isBlocked?: boolean
  /** For a form with more than a few fields. */
  readonly isWide?: boolean
  readonly children: ReactNode
}

/** A form in a dialog, submitted with Enter. A mutation used here has `meta: { isShownInPlace: true }`. */
export function FormModal(props: FormModalProps) {
  const { t } = useTranslation('common')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    props.onSubmit()
  }
  return (
    <Modal
      opened={props.isOpen}
      onClose={props.onClose}
      title={props.title}
      size={props.isWide ? 'lg' : undefined}
    >
      <form onSubmit={submit}>
        <Stack gap="sm">
          {props.error !== undefined && props.error !== null && <Failure error={props.error} />}
          {props.children}
          <Group justify="flex-end" gap="xs" mt="xs">
            <Button variant="default" onClick={props.onClose}>
              {t('cancel')}
            </Button>
            <Button
              type="submit"
              loading={props.isBusy}
              disabled={props.isBlocked}
              color={props.isDangerous ? 'red' : undefined}
            >
              {props.submitLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
