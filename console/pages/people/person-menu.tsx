import { Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { Action, ActionsMenu } from '../../ui/actions-menu.tsx'
import { FormModal } from '../../ui/form.tsx'
import { IconKey, IconLock, IconLockOpen, IconLogout, IconPencil, IconTrash } from '../../ui/icons.ts'
import { toast } from '../../ui/toast.ts'
import { ChangeForm } from './change-form.tsx'
import { ConnectionsOfPerson } from './connections-of-person.tsx'
import type { Link } from './invitation-link.tsx'

type Person = Schemas['Person']

/** Actions that need a confirmation. */
const deeds = ['newLink', 'signOut', 'block', 'unblock', 'remove'] as const
type Deed = (typeof deeds)[number]

const icons = {
  newLink: IconKey,
  signOut: IconLogout,
  block: IconLock,
  unblock: IconLockOpen,
  remove: IconTrash,
}

const isDangerous = (deed: Deed) => deed === 'block' || deed === 'remove'

interface PersonMenuProps {
  readonly person: Person
  readonly onLink: (link: Link) => void
}

export function PersonMenu({ person, onLink }: PersonMenuProps) {
  const { t } = useTranslation('people')
  const [opened, setOpened] = useState<Deed | 'change'>()
  const close = () => setOpened(undefined)
  const isOneself = useSession().person.id === person.id
  const offered = deeds
    .filter((deed) => deed !== (person.status === 'blocked' ? 'block' : 'unblock'))
    // People change their own password in the settings, which ask for the current one.
    .filter((deed) => deed !== 'newLink' || !isOneself)
  return (
    <>
      <ActionsMenu label={t('actionsFor', { email: person.email })}>
        <Action icon={IconPencil} onClick={() => setOpened('change')}>
          {t('change.action')}
        </Action>
        {offered.map((deed) => (
          <Action key={deed} icon={icons[deed]} onClick={() => setOpened(deed)}>
            {t(`${deed}.action`)}
          </Action>
        ))}
      </ActionsMenu>
      {opened === 'change' && <ChangeForm person={person} onClose={close} />}
      {opened && opened !== 'change' && (
        <Confirmation person={person} deed={opened} onClose={close} onLink={onLink} />
      )}
    </>
  )
}

interface ConfirmationProps extends PersonMenuProps {
  readonly deed: Deed
  readonly onClose: () => void
}

function Confirmation({ person, deed, onClose, onLink }: ConfirmationProps) {
  const { t } = useTranslation('people')
  const queries = useQueryClient()
  const [revokesConnections, setRevokesConnections] = useState(false)
  const { mutate, isPending, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () => carryOut(deed, person.id, revokesConnections),
    onSuccess: async (invitation) => {
      await queries.invalidateQueries({ queryKey: ['people'] })
      if (revokesConnections) await queries.invalidateQueries({ queryKey: ['connections'] })
      onClose()
      if (invitation) onLink({ ...invitation, email: person.email })
      else toast.success(t(`${deed}.done`, { name: person.name ?? person.email }))
    },
  })
  return (
    <FormModal
      title={t(`${deed}.title`, { name: person.name ?? person.email })}
      isOpen
      onClose={onClose}
      onSubmit={mutate}
      isBusy={isPending}
      error={error}
      submitLabel={t(`${deed}.action`)}
      isDangerous={isDangerous(deed)}
    >
      <Text size="sm">{t(`${deed}.about`)}</Text>
      {isDangerous(deed) && (
        <ConnectionsOfPerson
          person={person}
          isChecked={revokesConnections}
          onChange={setRevokesConnections}
        />
      )}
    </FormModal>
  )
}

/** Runs the action; only a new link returns something to show. */
async function carryOut(
  deed: Deed,
  id: string,
  revokesConnections: boolean,
): Promise<Schemas['Invitation'] | undefined> {
  const params = { path: { id } }
  switch (deed) {
    case 'newLink':
      return dataOf(api.POST('/v1/people/{id}/invitation', { params }))
    case 'signOut':
      await dataOf(api.POST('/v1/people/{id}/sign-out', { params }))
      return undefined
    case 'remove':
      await dataOf(
        api.DELETE('/v1/people/{id}', {
          params: { ...params, query: { revokeConnections: revokesConnections ? 'true' : undefined } },
        }),
      )
      return undefined
    default: {
      const status = deed === 'block' ? 'blocked' : 'active'
      const revokeConnections = revokesConnections || undefined
      await dataOf(api.PATCH('/v1/people/{id}', { params, body: { status, revokeConnections } }))
      return undefined
    }
  }
}
