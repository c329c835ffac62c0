import { Stack, Switch, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { formatDateTime } from '../../i18n/format.ts'
import type { Fact } from '../../ui/section.tsx'
import type { Customer } from './customer.ts'

type Change = NonNullable<Schemas['Customer']['consents']>['history'][number]

/** What is asked of every customer. */
const marketing = 'marketing'

/** By purpose: whether it was given; marketing is always among them, also if nobody has asked yet. */
export type Consents = Readonly<Record<string, boolean | undefined>>

export function consentsOf({ consents }: Pick<Schemas['Customer'], 'consents'>): Consents {
  const { history, ...purposes } = consents ?? { history: [] }
  return { [marketing]: undefined, ...(purposes as Record<string, boolean>) }
}

/** The last change of a purpose. */
export const lastChange = (
  { consents }: Pick<Schemas['Customer'], 'consents'>,
  purpose: string,
): Change | undefined => consents?.history.findLast((change) => change.purpose === purpose)

/** What was changed, for the service: a purpose that nobody has touched stays as it is. */
export function changedConsents(before: Consents, after: Consents): Record<string, boolean> | undefined {
  const changed = Object.entries(after).flatMap(([purpose, isGiven = false]): [string, boolean][] =>
    isGiven === (before[purpose] ?? false) ? [] : [[purpose, isGiven]],
  )
  return changed.length === 0 ? undefined : Object.fromEntries(changed)
}

function useConsentName(): (purpose: string) => string {
  const { t } = useTranslation('customers')
  return (purpose) => (purpose === marketing ? t('profile.marketing') : t('profile.consent', { purpose }))
}

interface ConsentFieldsProps {
  readonly values: Consents
  readonly onChange: (consents: Consents) => void
  /** When and how each was given or withdrawn; not for somebody new. */
  readonly customer?: Customer
}

/** A switch for each purpose, with the date and the source of what is known. */
export function ConsentFields({ values, onChange, customer }: ConsentFieldsProps) {
  const { t } = useTranslation('customers')
  const { timezone, consentText } = useSession().organization
  const nameOf = useConsentName()
  const about = (purpose: string) => {
    if (customer === undefined) {
      return consentText ? t('profile.consentAsk', { words: consentText }) : t('profile.marketingAbout')
    }
    const last = lastChange(customer, purpose)
    if (!last) return t('profile.notAsked')
    return t(last.given ? 'profile.givenOn' : 'profile.withdrawnOn', {
      date: formatDateTime(last.at, timezone),
      via: t(`profile.consentVia.${last.via}`),
    })
  }
  return Object.entries(values).map(([purpose, isGiven]) => (
    <Switch
      key={purpose}
      label={nameOf(purpose)}
      description={about(purpose)}
      checked={isGiven ?? false}
      onChange={({ currentTarget: { checked } }) => onChange({ ...values, [purpose]: checked })}
    />
  ))
}

/** What the customer agreed to, one fact per purpose, and when each was given or withdrawn. */
export function useConsentFacts(customer: Customer): Fact[] {
  const { t } = useTranslation('customers')
  const { timezone } = useSession().organization
  const nameOf = useConsentName()
  const history = customer.consents?.history ?? []
  return [
    ...Object.entries(consentsOf(customer)).map(([purpose, isGiven]) => ({
      label: nameOf(purpose),
      value: isGiven === undefined ? t('profile.notAsked') : t(isGiven ? 'common:yes' : 'common:no'),
    })),
    {
      label: t('profile.consentHistory'),
      value: history.length > 0 && (
        <Stack gap={4}>
          {history.toReversed().map(({ purpose, given, at, via, wording }) => (
            <div key={`${purpose} ${at}`}>
              {t(given ? 'profile.consentGiven' : 'profile.consentWithdrawn', {
                consent: nameOf(purpose),
                date: formatDateTime(at, timezone),
                via: t(`profile.consentVia.${via}`),
              })}
              {wording && (
                <Text size="sm" c="dimmed" dir="auto">
                  {t('profile.consentWording', { words: wording })}
                </Text>
              )}
            </div>
          ))}
        </Stack>
      ),
    },
  ]
}
