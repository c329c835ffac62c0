import { Alert, Button, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../api/client.ts'

/** An error in place, in the service's own words, with a way to go on. */
export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const { t } = useTranslation('common')
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={t('failed')} role="alert">
      <Stack gap="xs" align="flex-start">
        {error instanceof Error ? error.message : String(error)}
        {error instanceof ApiError && (
          <Text size="xs" ff="monospace" dir="ltr">
            {error.code}
          </Text>
        )}
        {onRetry && (
          <Button size="compact-sm" variant="default" onClick={onRetry}>
            {t('tryAgain')}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}
