import { Modal, type ModalProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** A dialog over the page whose close button has a name; its heading is no second banner of the page. */
export function Dialog({ title, ...props }: ModalProps) {
  const { t } = useTranslation('common')
  return (
    <Modal
      title={title}
      closeButtonProps={{ 'aria-label': t('close') }}
      attributes={{ header: { role: 'presentation' } }}
      {...props}
    />
  )
}
