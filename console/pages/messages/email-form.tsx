import { Group, NumberInput, PasswordInput, Select, SimpleGrid, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { FormModal } from '../../ui/form.tsx'
import type { Sender } from '../../ui/messages/message.ts'
import { toast } from '../../ui/toast.ts'
import { useModalForm } from '../../ui/use-modal-form.ts'
import { PerHourField } from './per-hour-field.tsx'

type Security = Schemas['MailSecurity']

/** The usual port of each, which follows the encryption until somebody chooses another. */
const usualPorts = { starttls: 587, tls: 465, none: 25 } as const satisfies Record<Security, number>
const securities = Object.keys(usualPorts) as Security[]

interface EmailFormProps {
  /** The mail server as it is set up, if it is. */
  readonly sender: Sender | undefined
  readonly isOpen: boolean
  readonly onClose: () => void
}

interface Values {
  readonly host: string
  readonly port: number | string
  readonly security: Security
  readonly user: string
  readonly password: string
  readonly from: string
  readonly replyTo: string
  readonly perHour: number | string
}

function initialOf(sender: Sender | undefined): Values {
  const { host = '', port, security = 'starttls', user = '', from = '', replyTo = '' } = sender?.email ?? {}
  return {
    host,
    port: port ?? usualPorts[security],
    security,
    user,
    password: '',
    from,
    replyTo,
    perHour: sender?.perHour ?? 1_000,
  }
}

const save = ({ host, port, security, user, password, from, replyTo, perHour }: Values) =>
  dataOf(
    api.PUT('/v1/senders/email', {
      body: {
        host: host.trim(),
        port: Number(port),
        security,
        user: user.trim() || undefined,
        password: password || undefined,
        from: from.trim(),
        replyTo: replyTo.trim() || undefined,
        perHour: perHour === '' ? undefined : Number(perHour),
      },
    }),
  )

export function EmailForm({ sender, isOpen, onClose }: EmailFormProps) {
  const { t } = useTranslation('messages')
  const { values, set, modal } = useModalForm({
    isOpen,
    onClose,
    initial: () => initialOf(sender),
    send: save,
    onDone: () => toast.success(t('common:saved')),
  })
  return (
    <FormModal {...modal} isWide title={t('sender.setUp.email')} submitLabel={t('common:save')}>
      <TextInput
        label={t('form.from')}
        description={t('form.fromAbout')}
        placeholder="Bean & Leaf <hello@example.com>"
        value={values.from}
        onChange={({ currentTarget: { value } }) => set({ from: value })}
        required
        maxLength={320}
        data-autofocus
      />
      <TextInput
        label={t('form.replyTo')}
        description={t('form.replyToAbout')}
        value={values.replyTo}
        onChange={({ currentTarget: { value } }) => set({ replyTo: value })}
        maxLength={320}
      />
      <ServerFields values={values} set={set} />
      <LoginFields values={values} set={set} isKept={sender?.email?.hasPassword === true} />
      <PerHourField value={values.perHour} onChange={(perHour) => set({ perHour })} />
    </FormModal>
  )
}

interface FieldsProps {
  readonly values: Values
  readonly set: (changes: Partial<Values>) => void
}

function ServerFields({ values, set }: FieldsProps) {
  const { t } = useTranslation('messages')
  const choose = (security: Security) => {
    const isUsual = Number(values.port) === usualPorts[values.security]
    set({ security, ...(isUsual && { port: usualPorts[security] }) })
  }
  return (
    <>
      <TextInput
        label={t('form.host')}
        description={t('form.hostAbout')}
        dir="ltr"
        placeholder="smtp.example.com"
        value={values.host}
        onChange={({ currentTarget: { value } }) => set({ host: value })}
        required
        maxLength={255}
      />
      <Group gap="sm" align="flex-start" grow>
        <Select
          label={t('form.security')}
          data={securities.map((security) => ({ value: security, label: t(`security.${security}`) }))}
          value={values.security}
          onChange={(value) => value && choose(value as Security)}
          allowDeselect={false}
        />
        <NumberInput
          label={t('form.port')}
          value={values.port}
          onChange={(port) => set({ port })}
          min={1}
          max={65_535}
          allowDecimal={false}
          hideControls
          required
        />
      </Group>
    </>
  )
}

function LoginFields({ values, set, isKept }: FieldsProps & { readonly isKept: boolean }) {
  const { t } = useTranslation('messages')
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <TextInput
        label={t('form.user')}
        description={t('form.userAbout')}
        dir="ltr"
        value={values.user}
        onChange={({ currentTarget: { value } }) => set({ user: value })}
        maxLength={255}
        autoComplete="off"
      />
      <PasswordInput
        label={t('form.password')}
        description={t(isKept ? 'form.passwordKept' : 'form.passwordAbout')}
        dir="ltr"
        value={values.password}
        onChange={({ currentTarget: { value } }) => set({ password: value })}
        maxLength={255}
        autoComplete="new-password"
      />
    </SimpleGrid>
  )
}
