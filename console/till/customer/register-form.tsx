import { Checkbox, Select, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { FormModal } from '../../ui/form.tsx'
import type { Customer } from '../sale/sale.ts'
import { useClosedByBack } from '../shell/back.ts'
import { useTillContext } from '../shell/till-context.ts'
import { register } from './register.ts'

type Registration = Parameters<typeof register>[0]

interface RegisterFormProps {
  /** The text that was searched for: a phone number or an email address. */
  readonly given: string | undefined
  readonly onClose: () => void
  readonly onRegistered: (customer: Customer) => void
}

export default function RegisterForm({ given = '', onClose, onRegistered }: RegisterFormProps) {
  const { t } = useTranslation('till')
  useClosedByBack(onClose)
  const { campaigns } = useTillContext()
  const isEmail = given.includes('@')
  const [phone, setPhone] = useState(isEmail ? '' : given)
  const [email, setEmail] = useState(isEmail ? given : '')
  const [fullname, setFullname] = useState('')
  const [marketing, setMarketing] = useState(false)
  const [campaignId, setCampaignId] = useState<string | null>(campaigns.at(-1)?.id ?? null)
  // One key per form, so that sending it twice registers the customer once.
  const [key] = useState(newIdempotencyKey)
  const { mutate, isPending, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: (registration: Registration) => register(registration, key),
    onSuccess: onRegistered,
  })
  const submit = () => {
    if (campaignId === null) return
    const data = { phone: phone.trim(), email: email.trim(), fullname: fullname.trim() }
    // Somebody who was not asked has not refused.
    mutate({ campaignId, customer: { data, consents: marketing ? { marketing } : undefined } })
  }
  return (
    <FormModal
      title={t('register.title')}
      isOpen
      onClose={onClose}
      onSubmit={submit}
      isBusy={isPending}
      error={error}
      submitLabel={t('register.submit')}
    >
      <TextInput
        label={t('register.phone')}
        type="tel"
        value={phone}
        data-autofocus={phone ? undefined : true}
        onChange={({ currentTarget }) => setPhone(currentTarget.value)}
        autoComplete="off"
      />
      <TextInput
        label={t('register.name')}
        value={fullname}
        data-autofocus={phone ? true : undefined}
        onChange={({ currentTarget }) => setFullname(currentTarget.value)}
        autoComplete="off"
      />
      <TextInput
        label={t('register.email')}
        type="email"
        value={email}
        onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        autoComplete="off"
      />
      <Select
        label={t('register.campaign')}
        data={campaigns.map(({ id, name }) => ({ value: id, label: name }))}
        value={campaignId}
        onChange={setCampaignId}
        allowDeselect={false}
        required
        error={campaigns.length === 0 ? t('register.noCampaign') : undefined}
      />
      <ConsentField isGiven={marketing} onChange={setMarketing} />
    </FormModal>
  )
}

interface ConsentFieldProps {
  readonly isGiven: boolean
  readonly onChange: (isGiven: boolean) => void
}

/** With the merchant's own words, if there are any. */
function ConsentField({ isGiven, onChange }: ConsentFieldProps) {
  const { t } = useTranslation('till')
  const { consentText } = useTillContext().session.organization
  return (
    <Checkbox
      label={t('register.marketing')}
      description={
        consentText ? t('register.marketingAsk', { words: consentText }) : t('register.marketingAbout')
      }
      checked={isGiven}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
  )
}
