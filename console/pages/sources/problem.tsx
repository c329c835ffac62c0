import { Alert, Stack, Text } from '@mantine/core'
import i18next from 'i18next'
import { useTranslation } from 'react-i18next'
import { IconAlertTriangle, IconInfoCircle } from '../../ui/icons.ts'
import type { Problem, Received } from './requests.ts'

interface ProblemWords {
  readonly what: string
  /** What to do about it; of a code that this page does not know, the service says both at once. */
  readonly todo?: string
}

/** Why nothing was recorded, in the reader's language, or else in the service's words. */
export function useProblemWords(): (problem: Problem) => ProblemWords {
  const { t } = useTranslation('sources')
  return ({ code, text }) => {
    if (i18next.exists(`sources:problem.${code}`)) {
      return { what: t(`problem.${code}.what`), todo: t(`problem.${code}.todo`) }
    }
    return { what: i18next.exists(`common:refusals.${code}`) ? t(`common:refusals.${code}`) : text }
  }
}

/** Codes whose sentence names the place in the mapping, the field or the vendor's reason. */
const detailed = [
  'mapping_failed',
  'invalid_mapping_result',
  'unreadable',
  'vendor_refused',
  'vendor_unreachable',
  'invalid_payload',
  '_invalid_payload',
]

/** What somebody who is trying a mapping does anyway. */
const ofMapping = ['mapping_failed', 'mapping_too_slow', 'invalid_mapping_result']

const colors = { 1: 'yellow', 2: 'gray', 3: 'gray', 4: 'red' } as const satisfies Record<
  Received['status'],
  string
>

interface ProblemNoteProps {
  readonly problem: Problem
  readonly status: Received['status']
  /** Whether the mapping is open beside it. */
  readonly isTrial?: boolean
}

/** A problem with what to do next. What was rightly left out is no error. */
export function ProblemNote({ problem, status, isTrial }: ProblemNoteProps) {
  const { what, todo } = useProblemWords()(problem)
  const Icon = status === 3 ? IconInfoCircle : IconAlertTriangle
  const isKnown = isTrial && ofMapping.includes(problem.code)
  return (
    <Alert color={colors[status]} icon={<Icon />} title={<span dir="auto">{what}</span>}>
      <Stack gap="xs" align="flex-start">
        {todo && !isKnown && <Text size="sm">{todo}</Text>}
        {detailed.includes(problem.code) && problem.text !== what && (
          <Text size="sm" ff="monospace" dir="ltr" style={{ overflowWrap: 'anywhere' }}>
            {problem.text}
          </Text>
        )}
        <Text size="xs" ff="monospace" dir="ltr">
          {problem.code}
        </Text>
      </Stack>
    </Alert>
  )
}
