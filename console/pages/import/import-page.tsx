import { Anchor, SegmentedControl, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Surroundings } from '../../../src/files/columns.ts'
import { useProgram } from '../../i18n/campaign-names.ts'
import { guide, paths } from '../../paths.ts'
import { useFilters } from '../../ui/lists/filters.ts'
import { Page } from '../../ui/page.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import { ExportSection } from './export-section.tsx'
import { ImportSection } from './import-section.tsx'

const kinds = ['customers', 'products', 'branches'] as const

/** Brings files in, and hands them out. */
export function ImportPage() {
  const { t } = useTranslation('import')
  const [{ kind: asked }, setFilters] = useFilters()
  const kind = kinds.find((known) => known === asked) ?? 'customers'
  const program = useProgram()
  const published = program.campaigns.filter(({ status }) => status === 'published').toReversed()
  const keys = [...new Set(published.flatMap(({ balances }) => balances.map(({ key }) => key)))]
  const around: Surroundings = {
    kind,
    campaigns: kind === 'customers' ? published.map(({ name }) => name) : [],
    balances: kind === 'customers' ? keys.map((key) => ({ key, name: program.balanceName(key) })) : [],
  }
  return (
    <Page
      title={t('title')}
      about={
        <>
          {t('about')}{' '}
          <Anchor href={guide('import')} inherit underline="always">
            {t('guide')}
          </Anchor>
        </>
      }
      parent={{ to: paths[kind](), title: t(`kind.${kind}`) }}
    >
      <Stack gap={4} align="flex-start">
        <Text size="sm" fw={500} id="import-kind">
          {t('what')}
        </Text>
        <SegmentedControl
          aria-labelledby="import-kind"
          value={kind}
          onChange={(value) => setFilters({ kind: value })}
          data={kinds.map((value) => ({ value, label: t(`kind.${value}`) }))}
        />
      </Stack>
      {program.isPending ? (
        <Waiting />
      ) : (
        <>
          {/* The key resets the file for another kind. */}
          <ImportSection key={kind} around={around} campaigns={published} />
          <ExportSection key={`export ${kind}`} around={around} />
        </>
      )}
    </Page>
  )
}
