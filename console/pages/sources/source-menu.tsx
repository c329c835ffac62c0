import { Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { paths } from '../../paths.ts'
import { Action, ActionsMenu, LinkAction } from '../../ui/actions-menu.tsx'
import { FormModal } from '../../ui/form.tsx'
import {
  IconBraces,
  IconKey,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconTrash,
} from '../../ui/icons.ts'
import { toast } from '../../ui/toast.ts'
import { KeysModal } from './keys.tsx'
import { deleteSource, type Source } from './requests.ts'
import { isPaused } from './source.ts'
import { SourceForm } from './source-form.tsx'
import { useSetStatus } from './source-state.tsx'

interface SourceMenuProps {
  readonly source: Source
  readonly onDeleted?: () => void
  /** On the source's page the button stands among larger ones. */
  readonly isLarge?: boolean
}

/** What can be done with a source, with the dialogs for it. */
export function SourceMenu({ source, onDeleted, isLarge }: SourceMenuProps) {
  const { t } = useTranslation('sources')
  const [opened, setOpened] = useState<'edit' | 'keys' | 'delete'>()
  const { mutate: setStatus } = useSetStatus(source)
  const close = () => setOpened(undefined)
  const isActive = !isPaused(source)
  return (
    <>
      <ActionsMenu label={t('actionsFor', { name: source.name })} isLarge={isLarge}>
        <Action icon={IconPencil} onClick={() => setOpened('edit')}>
          {t('edit')}
        </Action>
        {source.kind === 'json' && (
          <LinkAction icon={IconBraces} to={paths.sourceMapping(source.id)}>
            {t('mapping.title')}
          </LinkAction>
        )}
        <Action
          icon={isActive ? IconPlayerPause : IconPlayerPlay}
          onClick={() => setStatus(isActive ? 'paused' : 'active')}
        >
          {t(isActive ? 'pause' : 'resume')}
        </Action>
        <Action icon={IconKey} onClick={() => setOpened('keys')}>
          {t('keys.replace')}
        </Action>
        <Action icon={IconTrash} isDangerous onClick={() => setOpened('delete')}>
          {t('delete.action')}
        </Action>
      </ActionsMenu>
      {opened === 'edit' && <SourceForm kind={source.kind} source={source} onClose={close} />}
      {opened === 'keys' && <KeysModal source={source} onClose={close} />}
      {opened === 'delete' && <DeleteForm source={source} onClose={close} onDeleted={onDeleted} />}
    </>
  )
}

interface DeleteFormProps extends Pick<SourceMenuProps, 'source' | 'onDeleted'> {
  readonly onClose: () => void
}

function DeleteForm({ source, onClose, onDeleted }: DeleteFormProps) {
  const { t } = useTranslation('sources')
  const queries = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () => deleteSource(source.id),
    onSuccess: async () => {
      onClose()
      onDeleted?.()
      toast.success(t('delete.done'))
      // The page of the source may still be there for a moment, and would ask for it once more.
      await queries.invalidateQueries({ queryKey: ['sources', 'list'] })
    },
  })
  return (
    <FormModal
      title={t('delete.title', { name: source.name })}
      isOpen
      onClose={onClose}
      onSubmit={mutate}
      isBusy={isPending}
      error={error}
      submitLabel={t('delete.action')}
      isDangerous
    >
      <Text size="sm">{t('delete.about')}</Text>
    </FormModal>
  )
}
