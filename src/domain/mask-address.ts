/** Addresses as anybody may see them who has the link of a card: enough to recognize one's own, and no more. */
import { parsePhoneNumberFromString } from 'libphonenumber-js/max'
import type { Channel } from './message.ts'

const hidden = '•••'

export const maskAddress = (channel: Channel, address: string): string =>
  channel === 'email' ? maskEmail(address) : maskPhone(address)

/** `g•••@e•••.com`. */
function maskEmail(email: string): string {
  const at = email.lastIndexOf('@')
  const domain = email.slice(at + 1)
  const end = domain.lastIndexOf('.')
  const top = end > 0 ? domain.slice(end) : ''
  return `${firstOf(email)}${hidden}@${firstOf(domain)}${hidden}${top}`
}

/** `+43 ••• ••67`. */
function maskPhone(phone: string): string {
  const country = parsePhoneNumberFromString(phone)?.countryCallingCode
  return [...(country === undefined ? [] : [`+${country}`]), hidden, `••${phone.slice(-2)}`].join(' ')
}

/** A character, not half of one. */
const firstOf = (text: string): string => [...text][0] ?? ''
