import { Center, Modal, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { type Session, useMaybeSession } from '../../api/session.ts'
import { Failure } from '../../ui/failure.tsx'
import { FrontDoor } from '../../ui/shell/front-door.tsx'
import { SignInForm } from '../../ui/shell/sign-in-form.tsx'
import { toast } from '../../ui/toast.ts'
import { Waiting } from '../../ui/waiting.tsx'
import { forget } from '../sale/kept-basket.ts'
import { startOver } from './back.ts'
import { TillDesk } from './till-desk.tsx'

/** The till, or the sign-in form before it. A session that ends during a sale does not lose the sale. */
export function TillPage() {
  const { t } = useTranslation('till')
  const { data: session, isPending, error, refetch } = useMaybeSession()
  const [known, setKnown] = useState<Session>()
  useEffect(() => {
    if (session) setKnown(session)
  }, [session])
  useEffect(() => {
    document.title = `${t('title')} · Loyalty Wallet`
  }, [t])

  const shown = session ?? known
  const signOut = async () => {
    try {
      await dataOf(api.DELETE('/auth/session'))
    } catch (failure) {
      return toast.failure(failure)
    }
    // Nothing of the previous person's session remains.
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
          isSignedIn={Boolean(session)}
          onSignOut={signOut}
        />
        <Modal opened={!session} onClose={() => {}} withCloseButton={false} title={t('signedOut.title')}>
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
