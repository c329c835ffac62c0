import { Center, Modal, Text } from '@mantine/core'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import type { Session } from '../../api/session.ts'
import { Failure } from '../../ui/failure.tsx'
import { FrontDoor } from '../../ui/shell/front-door.tsx'
import { SignInForm } from '../../ui/shell/sign-in-form.tsx'
import { toast } from '../../ui/toast.ts'
import { Waiting } from '../../ui/waiting.tsx'
import { useTillSession } from '../offline/use-till-session.ts'
import { forget } from '../sale/kept-basket.ts'
import { startOver } from './back.ts'
import { TillDesk } from './till-desk.tsx'

/** The till, or the sign-in form before it. */
export function TillPage() {
  const { t } = useTranslation('till')
  const { session, shown, setKnown, isPending, error, refetch } = useTillSession()
  useEffect(() => {
    document.title = `${t('title')} · Loyalty Wallet`
  }, [t])

  const signOut = async () => {
    try {
      await dataOf(api.DELETE('/auth/session'))
    } catch (failure) {
      return toast.failure(failure)
    }
    // Nothing of the previous person's session remains; the reload forgets the rest.
    forget()
    startOver()
    location.reload()
  }

  const goOn = (next: Session) => {
    if (next.person.id !== shown?.person.id) startOver()
    setKnown(next)
  }

  if (shown) {
    return (
      <>
        <TillDesk
          // The basket belongs to this person only.
          key={`${shown.organization.id} ${shown.person.id}`}
          session={shown}
          isSignedIn={session !== null}
          onSignOut={signOut}
        />
        <Modal
          opened={session === null}
          onClose={() => {}}
          withCloseButton={false}
          title={t('signedOut.title')}
        >
          <Text mb="md">{t('signedOut.about')}</Text>
          <SignInForm onSignedIn={goOn} />
        </Modal>
      </>
    )
  }
  if (isPending) return <Waiting />
  if (error) {
    return (
      <Center mih="100vh" p="md" component="main">
        <Failure error={error} onRetry={() => refetch()} />
      </Center>
    )
  }
  return (
    <FrontDoor title={t('title')} about={t('signIn')}>
      <SignInForm onSignedIn={setKnown} />
    </FrontDoor>
  )
}
