import { Button, Group, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { sessionQuery } from '../../api/session.ts'
import { Failure } from '../../ui/failure.tsx'
import { toast } from '../../ui/toast.ts'
import { CardPreview } from './card-preview.tsx'

type Contact = Schemas['OrganizationContact']
type Field = keyof Contact

const fields = [
  ...(['address', 'openingHours', 'phone', 'email', 'website'] as const),
  ...(['termsUrl', 'privacyUrl', 'consentText'] as const),
] satisfies Field[]

/** What customers are told about the merchant, and which words they agree to. */
export function ContactForm({ organization }: { readonly organization: Schemas['Organization'] }) {
  const { t } = useTranslation('settings')
  const queries = useQueryClient()
  const [contact, setContact] = useState<Contact>(organization.contact)
  const { mutate, isPending, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () =>
      dataOf(
        api.PATCH('/v1/organization', {
          // An emptied field is removed.
          body: { contact: Object.fromEntries(fields.map((name) => [name, contact[name]?.trim() || null])) },
        }),
      ),
    onSuccess: async (saved) => {
      queries.setQueryData(['organization'], saved)
      // Forms that ask for the consent show its words.
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
      toast.success(t('common:saved'))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  const { name, color = '', logo = '' } = organization
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        {error && <Failure error={error} />}
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
          <ContactFields contact={contact} set={(changes) => setContact({ ...contact, ...changes })} />
          <CardPreview name={name} color={color} logo={logo} contact={contact} />
        </SimpleGrid>
        <Group>
          <Button type="submit" loading={isPending}>
            {t('contact.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

interface ContactFieldsProps {
  readonly contact: Contact
  readonly set: (changes: Contact) => void
}

function ContactFields({ contact, set }: ContactFieldsProps) {
  const { t } = useTranslation('settings')
  const bind = (field: Field, maxLength: number) => ({
    value: contact[field] ?? '',
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => set({ [field]: value }),
    maxLength,
  })
  const link = (field: Field, label: string) => (
    <TextInput type="url" dir="ltr" label={label} placeholder="https://" {...bind(field, 2_000)} />
  )
  return (
    <Stack gap="sm">
      <Textarea label={t('contact.address')} autosize minRows={2} maxRows={5} {...bind('address', 500)} />
      <Textarea
        label={t('contact.openingHours')}
        placeholder={t('contact.openingHoursHint')}
        autosize
        minRows={2}
        maxRows={8}
        {...bind('openingHours', 1_000)}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput type="tel" dir="ltr" label={t('contact.phone')} {...bind('phone', 64)} />
        <TextInput type="email" dir="ltr" label={t('contact.email')} {...bind('email', 254)} />
      </SimpleGrid>
      {link('website', t('contact.website'))}
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {link('termsUrl', t('contact.terms'))}
        {link('privacyUrl', t('contact.privacy'))}
      </SimpleGrid>
      <Textarea
        label={t('contact.consentText')}
        description={t('contact.consentTextAbout')}
        placeholder={t('contact.consentTextDefault')}
        autosize
        minRows={2}
        maxRows={6}
        {...bind('consentText', 1_000)}
      />
    </Stack>
  )
}
