import { Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { Parts } from '../../ui/nowrap.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import type { Kind } from './kinds.ts'

/** How the messages of a kind did, and the ways to them and to their text. */
export function KindCounts({ kind: { kind, counts } }: { readonly kind: Kind }) {
  const { t } = useTranslation('messages')
  const name = t(`kind.${kind}.when`)
  const { sent, failed, clicked } = counts
  const figures = (['sent', 'failed', 'clicked'] as const).map((count) =>
    t(`count.${count}`, { number: formatNumber(counts[count]) }),
  )
  return (
    <Group gap="md">
      <PageLink to={paths.messageText(kind)} size="sm" aria-label={t('editTextOf', { message: name })}>
        {t('editText')}
      </PageLink>
      {sent + failed + clicked > 0 && (
        <>
          <PageLink
            to={paths.messages()}
            search={{ tab: 'log', kind }}
            size="sm"
            aria-label={t('showLogOf', { message: name })}
          >
            {t('showLog')}
          </PageLink>
          <Text size="sm" className="lw-tabular">
            <Parts texts={[t('count.days'), ...figures]} />
          </Text>
        </>
      )}
    </Group>
  )
}
