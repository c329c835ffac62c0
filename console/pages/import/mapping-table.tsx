import { Select, Table, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { fieldsOf, type Mapping, type Surroundings } from '../../../src/files/columns.ts'
import { useFieldWords } from './field-words.ts'
import classes from './import.module.css'
import { examplesOf, type ScannedFile } from './scan-file.ts'

interface MappingTableProps {
  readonly scanned: ScannedFile
  readonly around: Surroundings
  readonly mapping: Mapping
  onChange(mapping: Mapping): void
}

/** What each column is, with a few of its values. */
export function MappingTable({ scanned, around, mapping, onChange }: MappingTableProps) {
  const { t } = useTranslation('import')
  const words = useFieldWords()
  const optionsFor = (column: string) => {
    const chosen = mapping[column]
    const known = fieldsOf(around).filter((field) => field !== 'cards' && field !== 'balances')
    const fields = [...known, ...(around.kind === 'customers' ? [`meta:${column.slice(0, 60)}`] : [])]
    if (chosen && !fields.includes(chosen)) fields.push(chosen)
    return fields.map((field) => ({ value: field, label: words(field) }))
  }
  const choose = (column: string, field: string | null) => {
    const others = Object.entries(mapping).filter(([name, used]) => name !== column && used !== field)
    const chosen = new Map([...others, ...(field ? [[column, field] as const] : [])])
    // In the order of the columns, so that the same file has the same mapping.
    onChange(
      Object.fromEntries(
        scanned.columns.flatMap((name) => (chosen.has(name) ? [[name, chosen.get(name)!]] : [])),
      ),
    )
  }
  return (
    <Table className={classes.mapping} verticalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('mapping.column')}</Table.Th>
          <Table.Th>{t('mapping.examples')}</Table.Th>
          <Table.Th>{t('mapping.field')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {scanned.columns.map((column) => (
          <Table.Tr key={column}>
            <Table.Td>
              <Text fw={600} dir="auto">
                {column}
              </Text>
            </Table.Td>
            <Table.Td>
              <Text size="sm" c="dimmed" dir="auto" className={classes.examples}>
                {examplesOf(scanned, column).join(' · ') || '–'}
              </Text>
            </Table.Td>
            <Table.Td>
              <Select
                aria-label={t('mapping.fieldOf', { column })}
                data={optionsFor(column)}
                value={mapping[column] ?? null}
                onChange={(field) => choose(column, field)}
                placeholder={t('mapping.ignored')}
                clearable
                clearButtonProps={{ 'aria-label': t('mapping.ignore', { column }) }}
                searchable
              />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
