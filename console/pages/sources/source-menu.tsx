import { ActionIcon, Menu, Text } from '@mantine/core'
import {
  IconBraces,
  IconDots,
  IconKey,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconTrash,
} from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { paths } from '../../paths.ts'
import { FormModal } from '../../ui/form.tsx'
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
  const Toggle = isActive ? IconPlayerPause : IconPlayerPlay
  return (
    <>
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <ActionIcon
            variant={isLarge ? 'default' : 'subtle'}
            color="gray"
            size={isLarge ? 36 : undefined}
            aria-label={t('actionsFor', { name: source.name })}
          >
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={() => setOpened('edit')}>
            {t('edit')}
          </Menu.Item>
          {source.kind === 'json' && (
            <Menu.Item
              leftSection={<IconBraces size={16} aria-hidden />}
              renderRoot={(root) => <Link to={paths.sourceMapping(source.id)} {...root} />}
            >
              {t('mapping.title')}
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={<Toggle size={16} aria-hidden />}
            onClick={() => setStatus(isActive ? 'paused' : 'active')}
          >
            {t(isActive ? 'pause' : 'resume')}
          </Menu.Item>
          <Menu.Item leftSection={<IconKey size={16} aria-hidden />} onClick={() => setOpened('keys')}>
            {t('keys.replace')}
          </Menu.Item>
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => setOpened('delete')}
          >
            {t('delete.action')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
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
