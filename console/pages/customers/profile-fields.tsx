import { Select, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../../api/client.ts'
import { languages } from '../../i18n/languages.ts'

export type CustomerLanguage = NonNullable<Schemas['Customer']['language']>

interface Profile {
  readonly fullname: string
  readonly phone: string
  readonly email: string
  /** Undefined for that of the organization. */
  readonly language: CustomerLanguage | undefined
}

interface ProfileFieldsProps {
  readonly values: Profile
  readonly set: (changes: Partial<Profile>) => void
}

/** Profile fields of a customer, for registration and editing. */
export function ProfileFields({ values, set }: ProfileFieldsProps) {
  const { t } = useTranslation('customers')
  return (
    <>
      <TextInput
        label={t('name')}
        data-autofocus
        maxLength={200}
        value={values.fullname}
        onChange={(event) => set({ fullname: event.currentTarget.value })}
      />
      <TextInput
        label={t('phone')}
        type="tel"
        maxLength={64}
        value={values.phone}
        onChange={(event) => set({ phone: event.currentTarget.value })}
      />
      <TextInput
        label={t('email')}
        type="email"
        maxLength={254}
        value={values.email}
        onChange={(event) => set({ email: event.currentTarget.value })}
      />
      <Select
        label={t('language')}
        description={t('languageAbout')}
        placeholder={t('languageNone')}
        data={Object.entries(languages).map(([value, { name }]) => ({ value, label: name }))}
        value={values.language ?? null}
        onChange={(language) => set({ language: (language as CustomerLanguage | null) ?? undefined })}
        clearable
      />
    </>
  )
}
