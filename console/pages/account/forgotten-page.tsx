import { Anchor, Button, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { paths } from '../../paths.ts'
import { Failure } from '../../ui/failure.tsx'
import { FrontDoor } from '../../ui/shell/front-door.tsx'

/** Asks for a link to choose a new password. Whether the address is known is not told. */
export function ForgottenPage() {
  const { t } = useTranslation('account')
  const [email, setEmail] = useState('')
  const { mutate, isPending, isSuccess, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () => dataOf(api.POST('/auth/forgotten-password', { body: { email } })),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  const back = (
    <Anchor component={Link} to={paths.signIn()} size="sm">
      {t('forgotten.back')}
    </Anchor>
  )
  if (isSuccess) {
    return (
      <FrontDoor title={t('forgotten.sent')} about={t('forgotten.sentAbout')}>
        <div role="status">{back}</div>
      </FrontDoor>
    )
  }
  return (
    <FrontDoor title={t('forgotten.title')} about={t('forgotten.about')}>
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
          <Button type="submit" loading={isPending} mt="xs">
            {t('forgotten.submit')}
          </Button>
          {back}
        </Stack>
      </form>
    </FrontDoor>
  )
}
