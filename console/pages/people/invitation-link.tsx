import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { formatDateTime } from '../../i18n/format.ts'
import { CopyField, ShownOnce } from '../../ui/shown-once.tsx'

export type Link = Schemas['Invitation'] & { readonly email: string }

export function InvitationLink({ link, onClose }: { readonly link: Link; readonly onClose: () => void }) {
  const { t } = useTranslation('people')
  const { timezone } = useSession().organization
  return (
    <ShownOnce title={t('link.title')} warning={t('link.once')} doneLabel={t('link.done')} onClose={onClose}>
      <CopyField label={t('link.label', { email: link.email })} value={link.url} />
      <Text size="sm" c="dimmed">
        {t('link.expires', { at: formatDateTime(link.expiresAt, timezone) })}
      </Text>
    </ShownOnce>
  )
}
