import { Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useSession } from '../../api/session.ts'
import { formatDateTime } from '../../i18n/format.ts'
import type { Fact } from '../../ui/section.tsx'
import type { Customer } from './customer.ts'

/** What the customer agreed to, one fact per purpose, and when each was given or withdrawn. */
export function useConsentFacts(consents: Customer['consents']): Fact[] {
  const { t } = useTranslation('customers')
  const { timezone } = useSession().organization
  const { history = [], ...purposes } = consents ?? {}
  const nameOf = (purpose: string) =>
    purpose === 'marketing' ? t('profile.marketing') : t('profile.consent', { purpose })
  return [
    ...Object.entries(purposes).map(([purpose, isGiven]) => ({
      label: nameOf(purpose),
      value: t(isGiven ? 'common:yes' : 'common:no'),
    })),
    {
      label: t('profile.consentHistory'),
      value: history.length > 0 && (
        <Stack gap={4}>
          {history.toReversed().map(({ purpose, given, at, via }) => (
            <span key={`${purpose} ${at}`}>
              {t(given ? 'profile.consentGiven' : 'profile.consentWithdrawn', {
                consent: nameOf(purpose),
                date: formatDateTime(at, timezone),
                via: t(`profile.consentVia.${via}`),
              })}
            </span>
          ))}
        </Stack>
      ),
    },
  ]
}
