import { Button, Group, Skeleton, Stack, Table, Text } from '@mantine/core'
import { keepPreviousData, useIsFetching, useMutation, useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../i18n/format.ts'
import { Failure } from '../failure.tsx'
import { IconDownload } from '../icons.ts'
import { toCsv } from './csv.ts'
import classes from './data-list.module.css'
import { download } from './download.ts'
import { FilterBar } from './filter-bar.tsx'
import { useFilters } from './filters.ts'

export interface Column<T> {
  readonly key: string
  readonly label: string
  readonly cell: (row: T) => ReactNode
  /** Text in the CSV file, if the cell is not plain text. */
  readonly csv?: (row: T) => string | number | undefined
  /** Numbers are aligned to the end. */
  readonly align?: 'end'
  /** Included in the CSV file only, such as ids that would make the table too wide. */
  readonly isOnlyCsv?: boolean
  /** Left out of the CSV file, such as the actions of a row. */
  readonly isOnlyTable?: boolean
}

export interface DataPage<T> {
  readonly data: readonly T[]
  readonly nextCursor?: string
}

interface DataListProps<T> {
  /** Name of the CSV file and of the cache entry, such as `customers`. */
  readonly name: string
  readonly columns: readonly Column<T>[]
  readonly keyOf: (row: T) => string
  /** Loads one page from the service. The filters it uses have to be in `filters`. */
  readonly load: (page: { cursor?: string; limit: number }) => Promise<DataPage<T>>
  readonly filters: Readonly<Record<string, string | undefined>>
  /** Path that a click on a row opens. */
  readonly rowPath?: (row: T) => string
  readonly onRow?: (row: T) => void
  readonly empty: ReactNode
  /** The filter fields. */
  readonly controls?: ReactNode
}

const pageSize = 25
const csvPageSize = 100

/** A list of the console: filters and page in the URL, a CSV file of all rows, rows that link to details. */
export function DataList<T>(props: DataListProps<T>) {
  const { name, keyOf, load, rowPath, onRow, empty, controls } = props
  const columns = props.columns.filter(({ isOnlyCsv }) => !isOnlyCsv)
  const { t } = useTranslation('common')
  const [address, setFilters] = useFilters()
  const navigate = useNavigate()
  const { cursor } = address
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery({
    queryKey: [name, 'list', props.filters, cursor],
    queryFn: () => load({ cursor, limit: pageSize }),
    placeholderData: keepPreviousData,
  })
  // A page opened by its URL knows of no earlier pages.
  const { walked = [undefined] } = useLocation().state
  const at = walked.indexOf(cursor)
  const open = rowPath ? (row: T) => navigate({ to: rowPath(row) }) : onRow
  const isFiltered = Object.entries(props.filters).some(([, value]) => value)

  return (
    <Stack gap="sm" className={classes.list}>
      <FilterBar controls={controls} filters={props.filters}>
        <CsvButton {...props} />
      </FilterBar>
      <div className={`lw-surface ${classes.frame}`}>
        {error ? (
          <Failure error={error} onRetry={refetch} />
        ) : data && data.data.length === 0 ? (
          isFiltered || cursor ? (
            <Text p="xl" ta="center" c="dimmed">
              {t('list.noResults')}
            </Text>
          ) : (
            empty
          )
        ) : (
          <Table
            highlightOnHover={open !== undefined}
            verticalSpacing="xs"
            horizontalSpacing="md"
            className={classes.table}
            // Rows of the previous page are stale and must not react to clicks.
            style={isPlaceholderData ? { opacity: 0.5, pointerEvents: 'none' } : undefined}
            aria-busy={isPending || isPlaceholderData}
          >
            <Table.Thead>
              <Table.Tr>
                {columns.map(({ key, label, align }) => (
                  <Table.Th key={key} ta={align}>
                    {label}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {isPending
                ? placeholderRows(columns.length)
                : data.data.map((row) => (
                    <Table.Tr
                      key={keyOf(row)}
                      className={open ? classes.clickable : undefined}
                      onClickCapture={(event) => {
                        // Second half of a double click that started elsewhere, such as on "Next page".
                        if (event.detail < 2 || (event.target as Element).closest('button, input')) return
                        event.preventDefault()
                        event.stopPropagation()
                      }}
                      onClick={(event) => {
                        // Links and buttons inside the row handle their own clicks.
                        const isOwn = (event.target as Element).closest('a, button, input')
                        if (!isOwn && !getSelection()?.toString()) open?.(row)
                      }}
                    >
                      {columns.map(({ key, label, align, cell }) => (
                        <Table.Td
                          key={key}
                          ta={align}
                          data-label={label}
                          className={align ? 'lw-tabular' : undefined}
                        >
                          {cell(row)}
                        </Table.Td>
                      ))}
                    </Table.Tr>
                  ))}
            </Table.Tbody>
          </Table>
        )}
      </div>
      {(cursor || data?.nextCursor) && (
        <Group justify="flex-end" gap="xs">
          {cursor && (
            <Button variant="default" size="sm" onClick={() => setFilters({ cursor: undefined })}>
              {t('list.first')}
            </Button>
          )}
          {at > 0 && (
            <Button
              variant="default"
              size="sm"
              onClick={() => setFilters({ cursor: walked[at - 1] }, { walked })}
            >
              {t('list.previous')}
            </Button>
          )}
          <Button
            variant="default"
            size="sm"
            disabled={!data?.nextCursor || isPlaceholderData}
            onClick={() => {
              const cursor = data?.nextCursor
              setFilters({ cursor }, { walked: [...walked.slice(0, at + 1), cursor] })
            }}
          >
            {t('list.next')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

const placeholderRows = (columns: number) =>
  [1, 2, 3, 4, 5].map((row) => (
    <Table.Tr key={row}>
      <Table.Td colSpan={columns}>
        <Skeleton h={14} my={5} />
      </Table.Td>
    </Table.Tr>
  ))

/** Loads all pages of the filtered list, and shows the progress. */
function CsvButton<T>({ name, load, ...props }: DataListProps<T>) {
  const columns = props.columns.filter(({ isOnlyTable }) => !isOnlyTable)
  const { t } = useTranslation('common')
  const [count, setCount] = useState<number>()
  // The file waits for other responses, such as the campaigns, which provide columns and names.
  const [isAsked, setAsked] = useState(false)
  const isIncomplete = useIsFetching({ predicate: ({ state }) => state.status === 'pending' }) > 0
  const { mutate } = useMutation({
    mutationFn: async () => {
      const rows: (string | number | undefined)[][] = [columns.map(({ label }) => label)]
      let cursor: string | undefined
      do {
        setCount(rows.length - 1)
        const page = await load({ cursor, limit: csvPageSize })
        rows.push(...page.data.map((row) => columns.map((column) => textOf(column, row))))
        cursor = page.nextCursor
      } while (cursor)
      download(`${name}.csv`, toCsv(rows), 'text/csv;charset=utf-8')
    },
    onSettled: () => setCount(undefined),
  })
  useEffect(() => {
    if (!isAsked || isIncomplete) return
    setAsked(false)
    mutate()
  }, [isAsked, isIncomplete])
  return (
    <Button
      variant="default"
      flex="none"
      leftSection={<IconDownload size={16} />}
      onClick={() => setAsked(true)}
      disabled={isAsked || count !== undefined}
    >
      {count === undefined ? t('list.csv') : t('list.csvProgress', { count: formatNumber(count) as never })}
    </Button>
  )
}

function textOf<T>({ cell, csv }: Column<T>, row: T): string | number | undefined {
  if (csv) return csv(row)
  const content = cell(row)
  return typeof content === 'string' || typeof content === 'number' ? content : undefined
}
