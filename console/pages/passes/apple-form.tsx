import { PasswordInput, SimpleGrid, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { toast } from '../../ui/toast.ts'
import { useModalForm } from '../../ui/use-modal-form.ts'
import { KeyField } from './key-field.tsx'
import { KeysModal } from './keys-modal.tsx'
import { patchPasses, type WalletPasses } from './passes.ts'

interface AppleFormProps {
  /** The keys as they are; secrets have to be sent again. */
  readonly keys: WalletPasses['apple']
  readonly isOpen: boolean
  readonly onClose: () => void
}

interface Values {
  readonly certificate: string
  readonly privateKey: string
  readonly passphrase: string
  readonly intermediate: string
  readonly passType: string
  readonly team: string
}

const certificateFiles = '.cer,.crt,.der,.pem'
const certificateBegins = '-----BEGIN CERTIFICATE-----'

const save = ({ certificate, privateKey, passphrase, intermediate, passType, team }: Values) =>
  patchPasses({
    apple: {
      certificate,
      privateKey,
      passphrase: passphrase || undefined,
      intermediate: intermediate || undefined,
      passType: passType.trim() || undefined,
      team: team.trim() || undefined,
    },
  })

export function AppleForm({ keys, isOpen, onClose }: AppleFormProps) {
  const { t } = useTranslation('passes')
  const own = keys?.source === 'organization' ? keys : undefined
  const { values, set, modal } = useModalForm({
    isOpen,
    onClose,
    // A new certificate is for the same pass type: passes that customers have would not be updated any more.
    initial: (): Values => ({
      certificate: '',
      privateKey: '',
      passphrase: '',
      intermediate: '',
      passType: own?.passType ?? '',
      team: own?.team ?? '',
    }),
    send: save,
    onDone: () => toast.success(t('common:saved')),
  })
  return (
    <KeysModal wallet="apple" modal={modal}>
      <KeyFields values={values} set={set} />
      <ExpectedFields values={values} set={set} />
    </KeysModal>
  )
}

interface FieldsProps {
  readonly values: Values
  readonly set: (changes: Partial<Values>) => void
}

function KeyFields({ values, set }: FieldsProps) {
  const { t } = useTranslation('passes')
  const field = (name: keyof Values) => ({
    value: values[name],
    onChange: (value: string) => set({ [name]: value }),
  })
  return (
    <>
      <KeyField
        label={t('form.certificate')}
        about={t('form.certificateAbout')}
        placeholder={certificateBegins}
        accept={certificateFiles}
        isRequired
        hasFocus
        {...field('certificate')}
      />
      <KeyField
        label={t('form.privateKey')}
        about={t('form.privateKeyAbout')}
        placeholder="-----BEGIN PRIVATE KEY-----"
        accept=".key,.pem,.p12,.pfx"
        isRequired
        {...field('privateKey')}
      />
      <PasswordInput
        label={t('form.passphrase')}
        description={t('form.passphraseAbout')}
        dir="ltr"
        value={values.passphrase}
        onChange={({ currentTarget: { value } }) => set({ passphrase: value })}
        maxLength={1_000}
        autoComplete="new-password"
      />
      <KeyField
        label={t('form.intermediate')}
        about={t('form.intermediateAbout')}
        placeholder={certificateBegins}
        accept={certificateFiles}
        isRequired
        {...field('intermediate')}
      />
    </>
  )
}

/** What the certificate is checked against. */
function ExpectedFields({ values, set }: FieldsProps) {
  const { t } = useTranslation('passes')
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <TextInput
        label={t('passType')}
        description={t('form.passTypeAbout')}
        placeholder="pass.com.example.loyalty"
        dir="ltr"
        value={values.passType}
        onChange={({ currentTarget: { value } }) => set({ passType: value })}
        maxLength={200}
      />
      <TextInput
        label={t('team')}
        description={t('form.teamAbout')}
        placeholder="A1B2C3D4E5"
        dir="ltr"
        value={values.team}
        onChange={({ currentTarget: { value } }) => set({ team: value })}
        maxLength={50}
      />
    </SimpleGrid>
  )
}
