import { Alert, Button, Group, Stack, Table, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../i18n/format.ts'
import { Failure } from '../../ui/failure.tsx'
import { IconCheck, IconDownload, IconInfoCircle } from '../../ui/icons.ts'
import { download } from '../../ui/lists/download.ts'
import { useFieldWords } from './field-words.ts'
import classes from './import.module.css'
import { type Import, type RejectedRow, readRejected, rejectedFile } from './run-import.ts'
import type { ScannedFile } from './scan-file.ts'

const shown = 200

/** What came of a dry run or an import, with every problem by row. */
export function ImportResult({ done, scanned }: { readonly done: Import; readonly scanned: ScannedFile }) {
  const { t } = useTranslation('import')
  const { created, updated, unchanged, rejected, dryRun, status } = done
  const counts = (['created', 'updated', 'unchanged', 'rejected'] as const).map((name) =>
    t(`result.${name}`, { count: done[name], shown: formatNumber(done[name]) }),
  )
  const isInterrupted = status === 'open'
  const title = isInterrupted ? 'interrupted' : dryRun ? 'checked' : 'imported'
  const color = rejected > 0 || isInterrupted ? 'yellow' : 'green'
  const Icon = rejected > 0 || isInterrupted ? IconInfoCircle : IconCheck
  return (
    <Stack gap="md">
      <Alert color={color} icon={<Icon />} role="status" title={t(`result.${title}`)}>
        <Text size="sm">{counts.join(' · ')}</Text>
        {dryRun && !isInterrupted && created + updated + unchanged > 0 && (
          <Text size="sm">{t('result.nothingStored')}</Text>
        )}
      </Alert>
      {rejected > 0 && <Problems done={done} scanned={scanned} />}
    </Stack>
  )
}

function Problems({ done, scanned }: { readonly done: Import; readonly scanned: ScannedFile }) {
  const { t } = useTranslation('import')
  const problems = useQuery({
    queryKey: ['imports', done.id, 'rejected', done.rejected],
    queryFn: async () => {
      const rows: RejectedRow[] = []
      for await (const row of readRejected(done.id)) {
        rows.push(row)
        if (rows.length === shown) break
      }
      return rows
    },
  })
  const save = useMutation({
    mutationFn: () => rejectedFile(scanned, done.id),
    onSuccess: (text) => {
      const name = scanned.file.name.replace(/\.\w+$/, '')
      download(`${name}.rejected.${scanned.format}`, text, 'text/plain;charset=utf-8')
    },
  })
  if (problems.error) return <Failure error={problems.error} onRetry={() => problems.refetch()} />
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed">
          {t('result.aboutRejected')}
        </Text>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          onClick={() => save.mutate()}
          loading={save.isPending}
        >
          {t('result.download')}
        </Button>
      </Group>
      {save.error && <Failure error={save.error} />}
      <ProblemTable rows={problems.data ?? []} />
      {done.rejected > shown && (
        <Text size="sm" c="dimmed">
          {t('result.more', { count: done.rejected - shown, shown: formatNumber(done.rejected - shown) })}
        </Text>
      )}
    </Stack>
  )
}

function ProblemTable({ rows }: { readonly rows: readonly RejectedRow[] }) {
  const { t } = useTranslation('import')
  const words = useFieldWords()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard has to be able to scroll it.
    <section className={classes.problems} aria-label={t('result.problems')} tabIndex={0}>
      <Table stickyHeader verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('result.row')}</Table.Th>
            <Table.Th>{t('result.problem')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ row, problems: found }) => (
            <Table.Tr key={row}>
              <Table.Td>{formatNumber(row)}</Table.Td>
              <Table.Td>
                {found.map(({ field, code, otherRow }) => (
                  <Text size="sm" key={`${field} ${code}`}>
                    {t('result.problemOf', {
                      field: words(field),
                      problem: t(otherRow ? 'problem.duplicateOf' : `problem.${code}`, {
                        row: formatNumber(otherRow ?? 0),
                      }),
                    })}
                  </Text>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  )
}
