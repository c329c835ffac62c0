import { Select, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { useProgram } from '../../i18n/campaign-names.ts'
import { FormModal } from '../../ui/form.tsx'
import { useModalForm } from '../../ui/use-modal-form.ts'
import { ConsentFields, changedConsents, consentsOf } from './consents.tsx'
import { type CustomerLanguage, ProfileFields } from './profile-fields.tsx'

const nothingAsked = consentsOf({})
const nothingYet = {
  campaign: '',
  fullname: '',
  phone: '',
  email: '',
  language: undefined as CustomerLanguage | undefined,
  consents: nothingAsked,
}

interface RegisterFormProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  /** An existing customer who gets another card; undefined to register a new customer. */
  readonly customer?: string
  readonly onDone: (customer: Schemas['Customer']) => void
}

/** Registers a customer with a campaign, which opens a card. */
export function RegisterForm({ isOpen, onClose, customer, onDone }: RegisterFormProps) {
  const { t } = useTranslation('customers')
  const { campaigns } = useProgram()
  const published = campaigns.filter(({ status }) => status === 'published')
  const first = published[0]?.id ?? ''
  const { values, set, modal } = useModalForm({
    isOpen,
    onClose,
    initial: () => nothingYet,
    send: ({ campaign, fullname, phone, email, language, consents: asked }, header) => {
      const data = { fullname: fullname.trim(), phone: phone.trim(), email: email.trim() }
      const consents = changedConsents(nothingAsked, asked)
      return dataOf(
        api.POST('/v1/customers/register', {
          params: { header },
          body: {
            campaignId: campaign || first,
            customer: customer === undefined ? { data, consents, language } : { id: customer },
          } as never,
        }),
      )
    },
    onDone,
  })
  const isNew = customer === undefined
  return (
    <FormModal
      {...modal}
      title={isNew ? t('register.title') : t('register.furtherTitle')}
      submitLabel={isNew ? t('register.submit') : t('register.furtherSubmit')}
    >
      {isNew && (
        <>
          <ProfileFields values={values} set={set} />
          <ConsentFields values={values.consents} onChange={(consents) => set({ consents })} />
        </>
      )}
      <Select
        label={t('campaign')}
        description={t('register.campaignAbout')}
        data={published.map(({ id, name }) => ({ value: id, label: name }))}
        value={values.campaign || first}
        onChange={(campaign) => set({ campaign: campaign ?? '' })}
        allowDeselect={false}
        required
      />
      {published.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('empty.campaignFirst')}
        </Text>
      )}
    </FormModal>
  )
}
