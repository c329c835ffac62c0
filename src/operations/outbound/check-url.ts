/**
 * Refuses what can be seen at once to be wrong with an address that a merchant chose; where a name leads is checked
 * with every connection. Without TLS anybody on the way could read and alter what is sent, so that is only for the
 * operator's own network.
 */
import { isIP } from 'node:net'
import { Refused } from '../../domain/refusal.ts'
import type { Addresses } from './addresses.ts'

export function checkUrl(text: string, { isAllowed, isOwn }: Addresses, field = 'url'): void {
  const refuse = (problem: string): never => {
    throw new Refused('_invalid_payload', `${field}: ${problem}`)
  }
  const url = URL.canParse(text)
    ? new URL(text)
    : refuse('must be a URL, such as https://example.com/events.')
  if (!['https:', 'http:'].includes(url.protocol)) refuse('must begin with https://.')
  if (url.username || url.password) refuse('must not contain a user or a password.')
  if (url.hash) refuse('must not contain a fragment (#).')
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const address = host === 'localhost' ? '127.0.0.1' : host
  const isAddress = isIP(address) !== 0
  if (isAddress && !isAllowed(address)) {
    refuse(
      'must be an address on the public internet. The operator can allow others with WEBHOOK_ALLOWED_RANGES.',
    )
  }
  if (url.protocol === 'http:' && !(isAddress && isOwn(address))) {
    refuse(
      'must begin with https://. Without TLS, only an IP address that the operator has allowed can be used.',
    )
  }
}
