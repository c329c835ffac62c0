import { Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyField, CopyTextButton, ShownOnce } from '../../ui/shown-once.tsx'

export interface CredentialsProps {
  readonly name: string
  /** Shown only when the connection is created; a rotation changes only the secret. */
  readonly apiKey?: string
  readonly apiSecret: string
  readonly onClose: () => void
}

export function Credentials({ name, apiKey, apiSecret, onClose }: CredentialsProps) {
  const { t } = useTranslation('developers')
  const curl = [
    `curl -X POST '${location.origin}/auth/token'`,
    apiKey ? `-H 'x-api-key: ${apiKey}'` : `-H "x-api-key: $API_KEY"`,
    `-H 'x-api-secret: ${apiSecret}'`,
  ].join(' \\\n  ')
  return (
    <ShownOnce
      title={apiKey ? t('credentials.title', { name }) : t('credentials.secretTitle', { name })}
      warning={apiKey ? t('credentials.once') : t('credentials.secretOnce')}
      doneLabel={apiKey ? t('credentials.done') : t('credentials.secretDone')}
      onClose={onClose}
    >
      {apiKey && <CopyField label={t('credentials.apiKey')} value={apiKey} />}
      <CopyField label={t('credentials.apiSecret')} value={apiSecret} />
      <div>
        <Group justify="space-between" align="flex-end" mb={4}>
          <Text size="sm" fw={500}>
            {t('credentials.try')}
          </Text>
          <CopyTextButton value={curl} label={t('common:copyCurl')} />
        </Group>
        <CodeBlock label={t('credentials.try')}>{curl}</CodeBlock>
      </div>
    </ShownOnce>
  )
}
