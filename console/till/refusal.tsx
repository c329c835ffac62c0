import { Alert, Button, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { ApiError, isUnanswered } from '../api/client.ts'

interface RefusalProps {
  readonly error: unknown
  /** Offered where trying again can help. */
  readonly onRetry?: () => void
}

/** What the service said no to, in the cashier's words where the till has some, else in its own. */
export function Refusal({ error, onRetry }: RefusalProps) {
  const { t } = useTranslation('till')
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} role="alert" title={useRefusalText()(error)}>
      <Stack gap="xs" align="flex-start">
        {error instanceof ApiError && (
          <Text size="sm" ff="monospace">
            {error.code}
          </Text>
        )}
        {onRetry && isUnanswered(error) && (
          <Button variant="default" onClick={onRetry}>
            {t('common:tryAgain')}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

export function useRefusalText(): (error: unknown) => string {
  const { t, i18n } = useTranslation('till')
  return (error) => {
    if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
    return i18n.exists(`till:refusals.${error.code}`) ? t(`refusals.${error.code}`) : error.message
  }
}
