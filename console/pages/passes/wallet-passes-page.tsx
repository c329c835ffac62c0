import { Anchor, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { guide, paths } from '../../paths.ts'
import { Failure } from '../../ui/failure.tsx'
import { Page } from '../../ui/page.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import { FirstCode } from './first-code.tsx'
import { passesQuery } from './passes.ts'
import { WalletKeys } from './wallet-keys.tsx'

export function WalletPassesPage() {
  const { t } = useTranslation('passes')
  const { data: passes, error, refetch } = useQuery(passesQuery)
  return (
    <Page
      title={t('title')}
      parent={{ to: paths.settings(), title: t('settings') }}
      about={
        <>
          {t('about')}{' '}
          <Anchor href={guide('wallet-passes')} target="_blank" size="sm" underline="always">
            {t('guide')}
          </Anchor>
        </>
      }
    >
      {error ? (
        <Failure error={error} onRetry={refetch} />
      ) : passes ? (
        <Stack gap="lg" maw={860}>
          <WalletKeys wallet="apple" passes={passes} />
          <WalletKeys wallet="google" passes={passes} />
          <FirstCode barcode={passes.barcode} />
        </Stack>
      ) : (
        <Waiting />
      )}
    </Page>
  )
}
