import { Alert, Button, Stack, Text } from '@mantine/core'
import i18next from 'i18next'
import { useTranslation } from 'react-i18next'
import { ApiError, isUnanswered } from '../api/client.ts'
import { failureDetail, failureText } from './failure-text.ts'
import { IconAlertTriangle } from './icons.ts'

interface FailureProps {
  readonly error: unknown
  /** Retries the request; not offered for a refusal, which would be refused again. */
  readonly onRetry?: () => void
}

/** An error shown in place: a sentence, and in small print the code for the documentation. */
export function Failure({ error, onRetry }: FailureProps) {
  const { t } = useTranslation('common')
  const isRefusal = error instanceof ApiError && !isUnanswered(error) && error.status !== 429
  const detail = failureDetail(error)
  // A cashier has no use for it, and the requests panel shows it to those who have.
  const showsCode = error instanceof ApiError && i18next.options.defaultNS !== 'till'
  return (
    <Alert
      color="red"
      icon={<IconAlertTriangle />}
      role="alert"
      title={<span dir="auto">{failureText(error)}</span>}
    >
      <Stack gap="xs" align="flex-start">
        {detail && <span dir="auto">{detail}</span>}
        {showsCode && (
          <Text size="xs" ff="monospace" dir="ltr">
            {error.code}
          </Text>
        )}
        {onRetry && !isRefusal && (
          <Button size="compact-sm" variant="default" onClick={onRetry}>
            {t('tryAgain')}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}
