import { Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSession } from '../../api/session.ts'
import { formatDate } from '../../i18n/format.ts'
import { type Fact, Facts, Section } from '../../ui/section.tsx'
import { Status } from '../../ui/status.tsx'
import { useAsk } from '../../ui/use-ask.tsx'
import { AppleForm } from './apple-form.tsx'
import { GoogleForm } from './google-form.tsx'
import { KeyProblems } from './key-problems.tsx'
import { patchPasses, type Wallet, type WalletPasses } from './passes.ts'

interface WalletKeysProps {
  readonly wallet: Wallet
  readonly passes: WalletPasses
}

/** The keys of one wallet: what they are, what is wrong with them, and how to get others. */
export function WalletKeys({ wallet, passes: { apple, google } }: WalletKeysProps) {
  const { t } = useTranslation('passes')
  const [isOpen, setOpen] = useState(false)
  const keys = wallet === 'apple' ? apple : google
  const isOwn = keys?.source === 'organization'
  const form = { isOpen, onClose: () => setOpen(false) }
  return (
    <Section
      title={t(`wallet.${wallet}`)}
      actions={isOwn && <KeysActions wallet={wallet} onReplace={() => setOpen(true)} />}
    >
      {keys && (
        <KeyProblems problems={keys.problems} isWarning={keys.problems.every(({ isWarning }) => isWarning)} />
      )}
      {keys && <KeysFacts wallet={wallet} passes={{ apple, google }} />}
      {!isOwn && (
        <Stack gap="sm" align="flex-start">
          {!keys && (
            <Text size="sm" c="dimmed">
              {t(`none.${wallet}`)}
            </Text>
          )}
          <Button variant={keys ? 'default' : undefined} onClick={() => setOpen(true)}>
            {t(`${keys ? 'own' : 'add'}.${wallet}`)}
          </Button>
        </Stack>
      )}
      {wallet === 'apple' ? <AppleForm keys={apple} {...form} /> : <GoogleForm keys={google} {...form} />}
    </Section>
  )
}

interface KeysActionsProps {
  readonly wallet: Wallet
  readonly onReplace: () => void
}

function KeysActions({ wallet, onReplace }: KeysActionsProps) {
  const { t } = useTranslation('passes')
  const ask = useAsk()
  const name = t(`wallet.${wallet}`)
  const remove = () =>
    ask({
      title: t(`removeTitle.${wallet}`),
      about: t('removeAbout'),
      confirm: t('remove'),
      isDangerous: true,
      run: () => patchPasses({ [wallet]: null }),
      done: t('removed'),
    })
  return (
    <>
      <Button size="xs" variant="default" onClick={onReplace} aria-label={t('replaceOf', { wallet: name })}>
        {t('replace')}
      </Button>
      <Button size="xs" variant="default" onClick={remove} aria-label={t('removeOf', { wallet: name })}>
        {t('remove')}
      </Button>
    </>
  )
}

interface KeysFactsProps {
  readonly wallet: Wallet
  readonly passes: Pick<WalletPasses, 'apple' | 'google'>
}

function KeysFacts({ wallet, passes: { apple, google } }: KeysFactsProps) {
  const { t } = useTranslation('passes')
  const { timezone } = useSession().organization
  const { isOffered, source } = (wallet === 'apple' ? apple : google)!
  const common: Fact[] = [
    {
      label: t('status'),
      value: (
        <Status tone={isOffered ? 'good' : 'wrong'}>{t(isOffered ? 'isOffered' : 'isNotOffered')}</Status>
      ),
    },
    { label: t('source'), value: t(`sources.${source}`) },
  ]
  const day = (at: string | undefined) => at && formatDate(at, timezone)
  const text = (value: string | undefined) => value && <bdi>{value}</bdi>
  const own: Fact[] =
    wallet === 'apple'
      ? [
          { label: t('passType'), value: text(apple?.passType) },
          { label: t('team'), value: text(apple?.team) },
          { label: t('validFrom'), value: day(apple?.validFrom) },
          { label: t('expiresAt'), value: day(apple?.expiresAt) },
        ]
      : [
          { label: t('issuer'), value: text(google?.issuer) },
          { label: t('serviceAccount'), value: text(google?.serviceAccount) },
        ]
  return <Facts facts={[...common, ...own]} />
}
