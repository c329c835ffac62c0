import { Alert, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Shapes } from '../../forms/definition.ts'
import { useForm, useSchemaTexts } from '../../forms/form-context.ts'
import { describePlace, type Problem } from '../../forms/places.ts'
import { Failure } from '../../ui/failure.tsx'
import { IconAlertTriangle } from '../../ui/icons.ts'

interface SaveFailureProps {
  readonly error: unknown
  readonly problem: Problem | undefined
  readonly shapes: Shapes
}

/** Explains why the draft could not be saved, with the place in the words of the form. */
export function SaveFailure({ error, problem, shapes }: SaveFailureProps) {
  const { t } = useTranslation('campaigns')
  if (!problem) return <Failure error={error} />
  return (
    <Alert color="red" icon={<IconAlertTriangle />} title={t('notSaved')} role="alert">
      <ProblemText problem={problem} shapes={shapes} />
    </Alert>
  )
}

export function ProblemText({
  problem,
  shapes,
}: Pick<SaveFailureProps, 'shapes'> & { readonly problem: Problem }) {
  const { t } = useTranslation('campaigns')
  const { definition } = useForm()
  const text = useSchemaTexts()
  const { titles } = describePlace(problem.place, shapes, [definition], {
    section: (list) => t(`sections.${list}.title`),
    text,
  })
  return (
    <Text size="sm" component="span">
      <Text span fw={600}>
        {titles.join(' › ')}
      </Text>{' '}
      {problem.message}
    </Text>
  )
}
