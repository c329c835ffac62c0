import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answerOf, api } from '../api/client.ts'
import { sessionQuery } from '../api/session.ts'
import { paths } from '../paths.ts'
import { Failure } from '../ui/failure.tsx'
import { FrontDoor } from '../ui/front-door.tsx'

export function SignInPage() {
  const { t } = useTranslation('account')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { next } = useSearch({ strict: false }) as { next?: string }
  const { mutate, isPending, error } = useMutation({
    meta: { isToldInPlace: true },
    mutationFn: () => answerOf(api.POST('/auth/session', { body: { email, password } })),
    onSuccess: (session) => {
      queries.clear()
      queries.setQueryData(sessionQuery.queryKey, session)
      return navigate({ href: placeAfter(next) })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  return (
    <FrontDoor title={t('signIn.title')} about={t('signIn.about')}>
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
    </FrontDoor>
  )
}

/** Only to a place within the console: an address that leads elsewhere would be a trap. */
function placeAfter(next: string | undefined): string {
  return next?.startsWith('/') && !next.startsWith('//') ? next : paths.home()
}
