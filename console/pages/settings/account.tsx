import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { sessionQuery, useSession } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import { Failure } from '../../ui/failure.tsx'
import { FormModal } from '../../ui/form.tsx'
import { Facts } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.ts'
import { SettingsSection } from './settings-section.tsx'

/** The signed-in person's own account, for every role. */
export function Account() {
  const { t } = useTranslation('settings')
  const { person } = useSession()
  return (
    <>
      <SettingsSection title={t('account.title')}>
        <Facts
          facts={[
            { label: t('account.name'), value: person.name ?? t('account.noName') },
            { label: t('account.email'), value: person.email },
            { label: t('account.role'), value: t(`common:role.${person.role}`) },
          ]}
        />
        <SignOutEverywhere />
      </SettingsSection>
      <SettingsSection title={t('password.title')} about={t('password.about')}>
        <PasswordForm email={person.email} />
      </SettingsSection>
    </>
  )
}

function SignOutEverywhere() {
  const { t } = useTranslation('settings')
  const [isOpen, setOpen] = useState(false)
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { mutate, isPending, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () => dataOf(api.DELETE('/auth/sessions')),
    onSuccess: () => {
      queries.clear()
      queries.setQueryData(sessionQuery.queryKey, null)
      return navigate({ to: paths.signIn() })
    },
  })
  return (
    <Group>
      <Button variant="default" onClick={() => setOpen(true)}>
        {t('signOut.action')}
      </Button>
      <FormModal
        title={t('signOut.title')}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onSubmit={mutate}
        isBusy={isPending}
        error={error}
        submitLabel={t('signOut.action')}
      >
        <Text size="sm">{t('signOut.about')}</Text>
      </FormModal>
    </Group>
  )
}

function PasswordForm({ email }: { readonly email: string }) {
  const { t } = useTranslation('settings')
  const [currentPassword, setCurrentPassword] = useState('')
  const [password, setPassword] = useState('')
  const { mutate, isPending, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () => dataOf(api.POST('/auth/password', { body: { currentPassword, password } })),
    onSuccess: () => {
      setCurrentPassword('')
      setPassword('')
      toast.success(t('password.done'))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm" maw={380}>
        {error && <Failure error={error} />}
        {/* Tells a password manager whose passwords these are. */}
        <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
        <PasswordInput
          label={t('password.current')}
          name="current-password"
          autoComplete="current-password"
          required
          value={currentPassword}
          onChange={({ currentTarget: { value } }) => setCurrentPassword(value)}
        />
        <PasswordInput
          label={t('password.new')}
          description={t('password.rule')}
          name="new-password"
          autoComplete="new-password"
          minLength={10}
          maxLength={200}
          required
          value={password}
          onChange={({ currentTarget: { value } }) => setPassword(value)}
        />
        <Group>
          <Button type="submit" loading={isPending}>
            {t('password.submit')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
