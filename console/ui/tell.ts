import { type NotificationData, notifications } from '@mantine/notifications'
import i18next from 'i18next'
import { ApiError } from '../api/client.ts'

/** Short messages at the edge of the page. */
export const tell = {
  success(message: string): void {
    show({ message, color: 'pine' })
  },
  /** The service's own sentence, which says what to do next. */
  failure(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error)
    const title = error instanceof ApiError ? error.code : undefined
    show({ title, message, color: 'red', autoClose: 10_000 })
  },
}

function show(message: NotificationData): void {
  notifications.show({ ...message, closeButtonProps: { 'aria-label': i18next.t('common:close') } })
}
