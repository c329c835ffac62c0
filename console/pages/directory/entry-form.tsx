import { NumberInput, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { dataOf } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { FormModal } from '../../ui/form.tsx'
import { toast } from '../../ui/toast.ts'
import { BranchSelect } from './branch-select.tsx'
import { type Entry, hasField, type Kind, kinds } from './kinds.ts'

interface EntryFormProps {
  readonly kind: Kind
  /** The entry to edit; undefined to create one. */
  readonly entry?: Entry
  readonly onClose: () => void
}

export function EntryForm({ kind, entry, onClose }: EntryFormProps) {
  const { t } = useTranslation('directory')
  const { currency } = useSession().organization
  const queries = useQueryClient()
  const [opaqueId, setOpaqueId] = useState(entry?.opaqueId ?? '')
  const [name, setName] = useState(entry?.name ?? '')
  const [category, setCategory] = useState(entry?.category ?? '')
  const [price, setPrice] = useState<number | string>(entry?.price ?? '')
  const [branch, setBranch] = useState(entry?.branchOpaqueId)
  const { mutate, isPending, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () => {
      const body = {
        name: name.trim() || null,
        ...(hasField(kind, 'category') && { category: category.trim() || null }),
        ...(hasField(kind, 'price') && { price: price === '' ? null : Number(price) }),
        // Without a branch, the main branch is used, for new and for edited entries.
        ...(hasField(kind, 'branch') && { branch: branch ?? null }),
      }
      const { create, patch } = kinds[kind]
      return dataOf<Entry>(entry ? patch(entry.id, body) : create(opaqueId.trim(), body))
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: [kind] })
      toast.success(t('common:saved'))
      onClose()
    },
  })
  return (
    <FormModal
      title={entry ? t(`${kind}.edit`) : t(`${kind}.create`)}
      isOpen
      onClose={onClose}
      onSubmit={mutate}
      isBusy={isPending}
      error={error}
      submitLabel={entry ? t('common:save') : t(`${kind}.create`)}
    >
      <TextInput
        label={t('opaqueId')}
        description={entry ? t('opaqueIdFixed') : t(`${kind}.opaqueIdAbout`)}
        value={opaqueId}
        onChange={({ currentTarget: { value } }) => setOpaqueId(value)}
        maxLength={255}
        required={!entry}
        disabled={entry !== undefined}
        data-autofocus={entry ? undefined : true}
      />
      <TextInput
        label={t('name')}
        value={name}
        onChange={({ currentTarget: { value } }) => setName(value)}
        maxLength={200}
        data-autofocus={entry ? true : undefined}
      />
      {hasField(kind, 'category') && (
        <TextInput
          label={t('category')}
          description={t('categoryAbout')}
          value={category}
          onChange={({ currentTarget: { value } }) => setCategory(value)}
          maxLength={255}
        />
      )}
      {hasField(kind, 'price') && (
        <NumberInput
          label={t('price', { currency })}
          description={t('priceAbout')}
          value={price}
          onChange={setPrice}
          min={0}
          hideControls
        />
      )}
      {hasField(kind, 'branch') && (
        <BranchSelect
          label={t('branch')}
          description={t('branchAbout')}
          value={branch}
          onChange={setBranch}
        />
      )}
    </FormModal>
  )
}
