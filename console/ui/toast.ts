import { type NotificationData, notifications } from '@mantine/notifications'
import i18next from 'i18next'
import { ApiError } from '../api/client.ts'
import { failureText } from './failure-text.ts'

/** Short messages at the edge of the page. */
export const toast = {
  success(message: string): void {
    show({ message, color: 'pine' })
  },
  /** Shows what is wrong, and in small print the code for the documentation. */
  failure(error: unknown): void {
    const text = failureText(error)
    const isCoded = error instanceof ApiError && i18next.options.defaultNS !== 'till'
    const told = isCoded ? { title: text, message: error.code } : { message: text }
    show({ ...told, color: 'red', autoClose: 10_000 })
  },
}

function show(message: NotificationData): void {
  notifications.show({ ...message, closeButtonProps: { 'aria-label': i18next.t('common:close') } })
}
