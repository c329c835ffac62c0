import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useSession } from '../../api/session.ts'
import { formatDateTime } from '../../format.ts'
import { CopyField, ShownOnce } from '../parts/shown-once.tsx'
import type { Link } from '../people.tsx'

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
