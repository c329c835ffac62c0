import { Alert, List, Text } from '@mantine/core'
import i18next from 'i18next'
import { useTranslation } from 'react-i18next'
import { IconAlertTriangle } from '../../ui/icons.ts'

interface Problem {
  readonly code: string
  /** In the service's words, for a code that this page does not know. */
  readonly message?: string
}

interface KeyProblemsProps {
  readonly problems: readonly Problem[]
  /** Whether passes are offered all the same. */
  readonly isWarning?: boolean
}

/** Everything that is wrong with keys, each with what to do about it. */
export function KeyProblems({ problems, isWarning = false }: KeyProblemsProps) {
  const { t } = useTranslation('passes')
  if (problems.length === 0) return null
  return (
    <Alert
      role="alert"
      color={isWarning ? 'yellow' : 'red'}
      icon={<IconAlertTriangle />}
      title={t(isWarning ? 'attention' : 'problems')}
    >
      <List size="sm" spacing="xs">
        {problems.map(({ code, message }) => (
          <List.Item key={code}>
            {i18next.exists(`passes:problem.${code}`) ? (
              <>
                <Text span size="sm" fw={600}>
                  {t(`problem.${code}.what`)}
                </Text>{' '}
                {t(`problem.${code}.todo`)}
              </>
            ) : (
              <span dir="auto">{message ?? code}</span>
            )}
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}
