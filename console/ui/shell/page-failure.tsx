import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../api/client.ts'
import { EmptyState } from '../empty-state.tsx'
import { Failure } from '../failure.tsx'
import { failureText } from '../failure-text.ts'
import { IconMapOff } from '../icons.ts'
import { Page } from '../page.tsx'

interface PageFailureProps {
  readonly error: unknown
  readonly onRetry: () => void
  /** Title that the page would have had. */
  readonly title: string
  /** The list that the page belongs to. */
  readonly parent: { readonly to: string; readonly title: string }
}

/** Replaces a detail page that cannot be shown: not found, with a link to the list, or an error. */
export function PageFailure({ error, onRetry, title, parent }: PageFailureProps) {
  const { t } = useTranslation('shell')
  if (error instanceof ApiError && error.status === 404) {
    return (
      <EmptyState
        isPage
        title={failureText(error)}
        icon={<IconMapOff />}
        action={
          <Button renderRoot={(root) => <Link to={parent.to} {...root} />}>
            {t('toList', { list: parent.title })}
          </Button>
        }
      >
        {t('notThereAbout')}
      </EmptyState>
    )
  }
  return (
    <Page title={title} parent={parent}>
      <Failure error={error} onRetry={onRetry} />
    </Page>
  )
}
