import { Button, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Surroundings } from '../../../src/files/columns.ts'
import { formatNumber } from '../../i18n/format.ts'
import { Failure } from '../../ui/failure.tsx'
import { IconDownload } from '../../ui/icons.ts'
import { download } from '../../ui/lists/download.ts'
import { Section } from '../../ui/section.tsx'
import { exportAll } from './run-import.ts'

/** Everything of a kind, in a form that can be imported again. */
export function ExportSection({ around }: { readonly around: Surroundings }) {
  const { t } = useTranslation('import')
  const [count, setCount] = useState(0)
  const save = useMutation({
    mutationFn: (format: 'csv' | 'ndjson') => exportAll(around, format, setCount),
    onSuccess: (text, format) => download(`${around.kind}.${format}`, text, 'text/plain;charset=utf-8'),
  })
  return (
    <Section title={t('export.title')}>
      <Text size="sm" c="dimmed" maw={640}>
        {t(`export.about.${around.kind}`)}
      </Text>
      <Group gap="xs">
        {(['csv', 'ndjson'] as const).map((format) => (
          <Button
            key={format}
            variant="default"
            leftSection={<IconDownload size={16} />}
            loading={save.isPending && save.variables === format}
            disabled={save.isPending}
            onClick={() => {
              setCount(0)
              save.mutate(format)
            }}
          >
            {t(`export.${format}`)}
          </Button>
        ))}
        {save.isPending && (
          <Text size="sm" c="dimmed" role="status">
            {t('export.rows', { count, shown: formatNumber(count) })}
          </Text>
        )}
      </Group>
      {save.error && <Failure error={save.error} />}
    </Section>
  )
}
