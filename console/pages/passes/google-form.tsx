import { TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { toast } from '../../ui/toast.ts'
import { useModalForm } from '../../ui/use-modal-form.ts'
import { KeyField } from './key-field.tsx'
import { KeysModal } from './keys-modal.tsx'
import { patchPasses, type WalletPasses } from './passes.ts'

interface GoogleFormProps {
  /** The keys as they are; the secret has to be sent again. */
  readonly keys: WalletPasses['google']
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function GoogleForm({ keys, isOpen, onClose }: GoogleFormProps) {
  const { t } = useTranslation('passes')
  const { values, set, modal } = useModalForm({
    isOpen,
    onClose,
    initial: () => ({
      issuer: (keys?.source === 'organization' && keys.issuer) || '',
      serviceAccount: '',
    }),
    send: ({ issuer, serviceAccount }) => patchPasses({ google: { issuer: issuer.trim(), serviceAccount } }),
    onDone: () => toast.success(t('common:saved')),
  })
  return (
    <KeysModal wallet="google" modal={modal}>
      <TextInput
        label={t('issuer')}
        description={t('form.issuerAbout')}
        placeholder="3388000000012345678"
        dir="ltr"
        inputMode="numeric"
        value={values.issuer}
        onChange={({ currentTarget: { value } }) => set({ issuer: value })}
        required
        maxLength={50}
        data-autofocus
      />
      <KeyField
        label={t('form.serviceAccount')}
        about={t('form.serviceAccountAbout')}
        placeholder='{ "type": "service_account", … }'
        accept=".json"
        value={values.serviceAccount}
        onChange={(serviceAccount) => set({ serviceAccount })}
        isRequired
      />
    </KeysModal>
  )
}
