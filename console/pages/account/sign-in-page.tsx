import { Anchor } from '@mantine/core'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { paths } from '../../paths.ts'
import { FrontDoor } from '../../ui/shell/front-door.tsx'
import { SignInForm } from '../../ui/shell/sign-in-form.tsx'

export function SignInPage() {
  const { t } = useTranslation('account')
  const navigate = useNavigate()
  const { next } = useSearch({ strict: false }) as { next?: string }
  return (
    <FrontDoor title={t('signIn.title')} about={t('signIn.about')}>
      <SignInForm onSignedIn={() => navigate({ href: placeAfter(next) })} />
      <Anchor component={Link} to={paths.forgotten()} size="sm" mt="md" display="block">
        {t('forgotten.link')}
      </Anchor>
    </FrontDoor>
  )
}

/** The path to open after the sign-in; only paths inside the console, to prevent open redirects. */
function placeAfter(next: string | undefined): string {
  return next?.startsWith('/') && !next.startsWith('//') ? next : paths.home()
}
