import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../../api/client.ts'
import { paths } from '../../paths.ts'
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
  organization: () => ({ to: paths.settings() }),
}

/** The subject of the change, linked to its page if it has one. */
export function Subject({ subject }: { readonly subject: AuditSubject }) {
  const { t } = useTranslation('developers')
  const kind = t(`subject.${subject.kind}`, { defaultValue: subject.kind })
  const text = t('audit.subjectText', { kind, name: subject.name ?? `…${subject.id.slice(-8)}` })
  const place = places[subject.kind]?.(subject)
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
