import { Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../../api/client.ts'
import { paths } from '../../paths.ts'
import { CustomerName } from '../../ui/customer-name.tsx'
import { PageLink, type Search } from '../../ui/page-link.tsx'

type AuditSubject = NonNullable<Schemas['AuditEntry']['subject']>
interface Place {
  readonly to: string
  readonly search?: Search
}

/** The page of the subject, or the list that contains it. */
const places: Record<string, (subject: AuditSubject) => Place> = {
  campaign: ({ id }) => ({ to: paths.campaign(id) }),
  customer: ({ id }) => ({ to: paths.customer(id) }),
  coupon: () => ({ to: paths.coupons() }),
  product: ({ name }) => ({ to: paths.products(), search: { q: name } }),
  branch: ({ name }) => ({ to: paths.branches(), search: { q: name } }),
  user: ({ name }) => ({ to: paths.users(), search: { q: name } }),
  person: () => ({ to: paths.people() }),
  connection: () => ({ to: paths.connections() }),
  webhook: ({ id }) => ({ to: paths.webhook(id) }),
  source: ({ id }) => ({ to: paths.source(id) }),
  organization: () => ({ to: paths.settings() }),
}

/** The subject in words: its name, or else the end of its id. */
function useSubjectText(): (subject: AuditSubject) => string {
  const { t } = useTranslation('developers')
  return ({ kind, name, id }) => {
    if (kind === 'card' && name) return t('audit.cardEnding', { ending: name })
    const noun = t(`subject.${kind}`, { defaultValue: kind })
    return t('audit.subjectText', { kind: noun, name: name ?? `…${id.slice(-8)}` })
  }
}

/** The subject of the change, linked to its page if it has one; of a card or a coupon, whose it is. */
export function Subject({ subject }: { readonly subject: AuditSubject }) {
  const text = useSubjectText()(subject)
  const place = places[subject.kind]?.(subject)
  if (subject.customer) {
    return (
      <Stack gap={0} align="flex-start">
        <Text size="sm" span>
          {text}
        </Text>
        <CustomerName id={subject.customer} name={subject.customerName} />
      </Stack>
    )
  }
  return place ? (
    <PageLink {...place} size="sm">
      {text}
    </PageLink>
  ) : (
    <Text size="sm" span>
      {text}
    </Text>
  )
}
