import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { type Session, sessionQuery } from '../../api/session.ts'
import { Failure } from '../failure.tsx'

/** Sign-in with email and password. Data that was loaded for another person is dropped. */
export function SignInForm({ onSignedIn }: { readonly onSignedIn?: (session: Session) => unknown }) {
  const { t } = useTranslation('account')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const queries = useQueryClient()
  const { mutate, isPending, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () => dataOf(api.POST('/auth/session', { body: { email, password } })),
    onSuccess: (session) => {
      queries.clear()
      queries.setQueryData(sessionQuery.queryKey, session)
      return onSignedIn?.(session)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {error && <Failure error={error} />}
        <TextInput
          label={t('email')}
          type="email"
          name="email"
          autoComplete="username"
          required
          autoFocus
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <PasswordInput
          label={t('password')}
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" loading={isPending} mt="xs">
          {t('signIn.submit')}
        </Button>
      </Stack>
    </form>
  )
}
