import { Anchor, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../../api/client.ts'
import classes from './card-preview.module.css'

type Contact = Schemas['OrganizationContact']

const links = [
  ['website', 'contact.website'],
  ['termsUrl', 'contact.terms'],
  ['privacyUrl', 'contact.privacy'],
] as const

/** What customers are told about the merchant, below the card. */
export function ContactPreview({ contact }: { readonly contact: Contact }) {
  const { t } = useTranslation('settings')
  const { address, openingHours, phone, email } = contact
  const shown = links.filter(([field]) => contact[field]?.trim())
  if (!address && !openingHours && !phone && !email && shown.length === 0) return null
  return (
    <Stack gap={6} className={classes.contact}>
      {[address, openingHours].map(
        (text, i) =>
          text?.trim() && (
            <Text key={i === 0 ? 'address' : 'hours'} size="sm" dir="auto" className={classes.lines}>
              {text.trim()}
            </Text>
          ),
      )}
      {[phone, email].map(
        (text, i) =>
          text?.trim() && (
            <Text key={i === 0 ? 'phone' : 'email'} size="sm">
              <bdi>{text.trim()}</bdi>
            </Text>
          ),
      )}
      {shown.length > 0 && (
        <Text size="sm" component="div" className={classes.links}>
          {shown.map(([field, label]) => (
            <Anchor key={field} href={contact[field]!.trim()} target="_blank" rel="noreferrer" size="sm">
              {t(label)}
            </Anchor>
          ))}
        </Text>
      )}
    </Stack>
  )
}
