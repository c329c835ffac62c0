import { Anchor, Button } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { dataOf } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { formatDate, formatMoney } from '../../i18n/format.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconPlus } from '../../ui/icons.ts'
import { ImportLink } from '../../ui/import-link.tsx'
import { type Column, DataList } from '../../ui/lists/data-list.tsx'
import { useFilters } from '../../ui/lists/filters.ts'
import { SearchField } from '../../ui/lists/search-field.tsx'
import { Page } from '../../ui/page.tsx'
import { EntryForm } from './entry-form.tsx'
import { type Entry, hasField, type Kind, kinds } from './kinds.ts'

export const ProductsPage = () => <DirectoryPage kind="products" />
export const BranchesPage = () => <DirectoryPage kind="branches" />
export const UsersPage = () => <DirectoryPage kind="users" />

function DirectoryPage({ kind }: { readonly kind: Kind }) {
  const { t } = useTranslation('directory')
  const [{ q }] = useFilters()
  const [opened, setOpened] = useState<Entry | 'new'>()
  const columns = useColumns(kind, setOpened)
  const create = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setOpened('new')}>
      {t(`${kind}.create`)}
    </Button>
  )
  return (
    <Page
      title={t(`${kind}.title`)}
      about={t(`${kind}.about`)}
      actions={
        <>
          {kind !== 'users' && <ImportLink kind={kind} label={t('importOrExport')} />}
          {create}
        </>
      }
    >
      <DataList
        // The three pages share a route component; the key resets the state for another list.
        key={kind}
        name={kind}
        columns={columns}
        keyOf={({ id }) => id}
        filters={{ q }}
        load={(page) => dataOf(kinds[kind].list({ ...page, q }))}
        onRow={setOpened}
        controls={<SearchField label={t('search')} placeholder={t('searchAbout')} />}
        empty={
          <EmptyState title={t(`${kind}.empty`)} action={create}>
            {t(`${kind}.emptyAbout`)}
          </EmptyState>
        }
      />
      {opened && (
        <EntryForm
          kind={kind}
          entry={opened === 'new' ? undefined : opened}
          onClose={() => setOpened(undefined)}
        />
      )}
    </Page>
  )
}

function useColumns(kind: Kind, open: (entry: Entry) => void): Column<Entry>[] {
  const { t } = useTranslation('directory')
  const { currency, timezone } = useSession().organization
  const columns: (Column<Entry> | false)[] = [
    {
      key: 'name',
      label: t('name'),
      cell: (entry) => (
        <Anchor component="button" type="button" size="sm" ta="start" onClick={() => open(entry)}>
          {entry.name ?? entry.opaqueId}
        </Anchor>
      ),
      csv: ({ name }) => name,
    },
    { key: 'opaqueId', label: t('opaqueId'), cell: ({ opaqueId }) => opaqueId },
    hasField(kind, 'category') && {
      key: 'category',
      label: t('category'),
      cell: ({ category }) => category,
      csv: ({ category }) => category,
    },
    hasField(kind, 'branch') && {
      key: 'branch',
      label: t('branch'),
      cell: ({ branchOpaqueId }) => branchOpaqueId,
      csv: ({ branchOpaqueId }) => branchOpaqueId,
    },
    hasField(kind, 'price') && {
      key: 'price',
      label: t('priceColumn'),
      align: 'end',
      cell: ({ price }) => (price === undefined ? undefined : formatMoney(price, currency)),
      csv: ({ price }) => price,
    },
    {
      key: 'createdAt',
      label: t('added'),
      align: 'end',
      cell: ({ createdAt }) => formatDate(createdAt, timezone),
      csv: ({ createdAt }) => createdAt,
    },
  ]
  return columns.filter((column) => column !== false)
}
