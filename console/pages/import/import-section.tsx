import { Button, Checkbox, FileInput, Group, Select, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Mapping, Surroundings } from '../../../src/files/columns.ts'
import { FileError } from '../../../src/files/read-file.ts'
import { useSession } from '../../api/session.ts'
import { formatNumber } from '../../i18n/format.ts'
import { AskBeforeLeaving } from '../../ui/ask-before-leaving.tsx'
import { Failure } from '../../ui/failure.tsx'
import { IconFileSearch, IconFileUpload } from '../../ui/icons.ts'
import { Section } from '../../ui/section.tsx'
import { ImportResult } from './import-result.tsx'
import { MappingTable } from './mapping-table.tsx'
import type { ImportChoice } from './run-import.ts'
import { RunProgress } from './run-progress.tsx'
import { keepMapping, mappingFor, type ScannedFile, scanFile } from './scan-file.ts'
import { useImportRun } from './use-import-run.ts'

interface ImportSectionProps {
  readonly around: Surroundings
  readonly campaigns: readonly { readonly id: string; readonly name: string }[]
}

/** From the file to its result: columns, a dry run, the import. */
export function ImportSection({ around, campaigns }: ImportSectionProps) {
  const { t } = useTranslation('import')
  const [file, setFile] = useState<File | null>(null)
  const [mapping, setMapping] = useState<Mapping>({})
  const scan = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: scanFile,
    onSuccess: ({ columns }) => setMapping(mappingFor(columns, around)),
  })
  const choose = (chosen: File | null) => {
    setFile(chosen)
    scan.reset()
    if (chosen) scan.mutate(chosen)
  }
  return (
    <Section title={t('import.title')}>
      <FileInput
        label={t('import.file')}
        description={t('import.fileAbout')}
        placeholder={t('import.choose')}
        accept=".csv,.tsv,.txt,.ndjson,.jsonl"
        leftSection={<IconFileUpload size={16} />}
        value={file}
        onChange={choose}
        clearable
        clearButtonProps={{ 'aria-label': t('import.remove') }}
        maw={480}
      />
      {scan.isPending && (
        <Text role="status" size="sm" c="dimmed">
          {t('import.reading')}
        </Text>
      )}
      {scan.error && <ScanFailure error={scan.error} />}
      {scan.data && (
        <Steps
          key={scan.data.hash}
          scanned={scan.data}
          around={around}
          campaigns={campaigns}
          mapping={mapping}
          onMapping={setMapping}
        />
      )}
    </Section>
  )
}

function ScanFailure({ error }: { readonly error: unknown }) {
  const { t } = useTranslation('import')
  if (!(error instanceof FileError)) return <Failure error={error} />
  return (
    <Text role="alert" c="red">
      {t(`import.${error.code}`)}
    </Text>
  )
}

interface StepsProps extends ImportSectionProps {
  readonly scanned: ScannedFile
  readonly mapping: Mapping
  onMapping(mapping: Mapping): void
}

function Steps({ scanned, around, campaigns, mapping, onMapping }: StepsProps) {
  const { t } = useTranslation('import')
  const { country } = useSession().organization
  const [campaign, setCampaign] = useState<string | null>(campaigns.length === 1 ? campaigns[0]!.id : null)
  const [options, setOptions] = useState({ updates: false, countsTowardTotal: true })
  const { run, progress, stop } = useImportRun()
  const fields = Object.values(mapping)
  const needsCampaign =
    campaign === null &&
    fields.some((field) => field === 'barcode' || field.startsWith('balance:')) &&
    !fields.some((field) => field.startsWith('barcode:'))
  const begin = (isDryRun: boolean) => {
    keepMapping(scanned.columns, around, mapping)
    run.mutate({
      scanned,
      around,
      mapping,
      campaign: campaign ?? undefined,
      ...options,
      isDryRun,
      country,
    })
  }
  const isReady = fields.length > 0 && !needsCampaign && !run.isPending
  return (
    <Stack gap="md">
      <AskBeforeLeaving isDirty={run.isPending && !run.variables?.isDryRun} />
      <Text size="sm">{t('mapping.about', { count: scanned.rows, shown: formatNumber(scanned.rows) })}</Text>
      <MappingTable scanned={scanned} around={around} mapping={mapping} onChange={onMapping} />
      {around.kind === 'customers' && (
        <Select
          label={t('options.campaign')}
          description={t('options.campaignAbout')}
          placeholder={t('options.noCampaign')}
          data={campaigns.map(({ id, name }) => ({ value: id, label: name }))}
          value={campaign}
          onChange={setCampaign}
          error={needsCampaign ? t('options.campaignNeeded') : undefined}
          clearable
          maw={480}
        />
      )}
      <Options
        hasBalances={fields.some((field) => field.startsWith('balance:'))}
        options={options}
        onChange={setOptions}
      />
      {progress ? (
        <RunProgress progress={progress} isDryRun={run.variables?.isDryRun ?? false} onStop={stop} />
      ) : (
        <Buttons isReady={isReady} onBegin={begin} />
      )}
      {run.error && <Failure error={run.error} />}
      {run.data && <ImportResult done={run.data} scanned={scanned} />}
    </Stack>
  )
}

interface OptionsProps {
  readonly hasBalances: boolean
  readonly options: Pick<ImportChoice, 'updates' | 'countsTowardTotal'>
  onChange(options: OptionsProps['options']): void
}

function Options({ hasBalances, options, onChange }: OptionsProps) {
  const { t } = useTranslation('import')
  return (
    <>
      <Checkbox
        label={t('options.update')}
        description={t('options.updateAbout')}
        checked={options.updates}
        onChange={(event) => onChange({ ...options, updates: event.currentTarget.checked })}
      />
      {hasBalances && (
        <Checkbox
          label={t('options.total')}
          description={t('options.totalAbout')}
          checked={options.countsTowardTotal}
          onChange={(event) => onChange({ ...options, countsTowardTotal: event.currentTarget.checked })}
        />
      )}
    </>
  )
}

function Buttons({
  isReady,
  onBegin,
}: {
  readonly isReady: boolean
  readonly onBegin: (isDryRun: boolean) => void
}) {
  const { t } = useTranslation('import')
  return (
    <Group gap="xs">
      <Button
        variant="default"
        leftSection={<IconFileSearch size={16} />}
        onClick={() => onBegin(true)}
        disabled={!isReady}
      >
        {t('run.check')}
      </Button>
      <Button leftSection={<IconFileUpload size={16} />} onClick={() => onBegin(false)} disabled={!isReady}>
        {t('run.import')}
      </Button>
    </Group>
  )
}
