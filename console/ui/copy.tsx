import { ActionIcon, CopyButton, Tooltip } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { IconCheck, IconCopy } from './icons.ts'

export function Copy({ value, label }: { readonly value: string; readonly label?: string }) {
  const { t } = useTranslation('common')
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => {
        const text = copied ? t('copied') : (label ?? t('copy'))
        return (
          <Tooltip label={text}>
            <ActionIcon variant="subtle" color="gray" size="sm" onClick={copy} aria-label={text}>
              {copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
            </ActionIcon>
          </Tooltip>
        )
      }}
    </CopyButton>
  )
}
