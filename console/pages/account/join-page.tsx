import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { sessionQuery } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { Failure } from '../../ui/failure.tsx'
import { FrontDoor } from '../../ui/shell/front-door.tsx'

/** Target of an invitation link. Its token follows the #, which is never sent to a server or logged. */
export function JoinPage() {
  const { t } = useTranslation('account')
  const [token] = useState(() => location.hash.slice(1))
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { mutate, isPending, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () =>
      dataOf(api.POST('/auth/invitation', { body: { token, name: name.trim() || undefined, password } })),
    onSuccess: (session) => {
      queries.clear()
      queries.setQueryData(sessionQuery.queryKey, session)
      return navigate({ to: paths.home(), hash: '', replace: true })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  return (
    <FrontDoor title={t('join.title')} about={t('join.about')}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          {error && <Failure error={error} />}
          <TextInput
            label={t('name')}
            name="name"
            autoComplete="name"
            autoFocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <PasswordInput
            label={t('newPassword')}
            description={t('passwordRule')}
            name="password"
            autoComplete="new-password"
            minLength={10}
            maxLength={200}
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Button type="submit" loading={isPending} mt="xs">
            {t('join.submit')}
          </Button>
        </Stack>
      </form>
    </FrontDoor>
  )
}
