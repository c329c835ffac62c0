/** Requests of the customer about themselves. They belong to this page and are not part of the API's document. */
import { requestCard } from '../card-request.ts'

export type Channel = 'email' | 'sms'
export type Purpose = 'contact' | 'change' | 'download' | 'erase'
type Language = 'en' | 'de' | 'ar'

export interface OwnAddress {
  readonly channel: Channel
  readonly address: string
  readonly isVerified: boolean
  readonly canReceive: boolean
}

export interface ConsentChange {
  readonly purpose: string
  readonly given: boolean
  readonly at: string
  readonly via: string
  readonly wording?: string
}

export interface OwnProfile {
  readonly fullname?: string
  readonly language?: Language
  readonly contacts: readonly OwnAddress[]
  /** How the merchant can send something. */
  readonly channels: readonly Channel[]
  readonly consents: { readonly history: readonly ConsentChange[] } & Readonly<Record<string, unknown>>
  readonly consentWords: Readonly<Record<Language, string>>
  readonly expiresAt: string
}

export interface OwnPatch {
  readonly fullname?: string
  readonly language?: Language
  readonly consents?: Readonly<Record<string, boolean>>
  readonly shownIn: Language
}

/** Why something was refused. Status 0 means that there was no response. */
export class OwnError extends Error {
  readonly status: number
  readonly code: string
  readonly retryAfter: number

  constructor(status: number, code: string, retryAfter = 0) {
    super(code)
    this.status = status
    this.code = code
    this.retryAfter = retryAfter
  }
}

async function request(path: string, options: Parameters<typeof requestCard>[1]): Promise<Response> {
  const response = await requestCard(path, options).catch(() => {
    throw new OwnError(0, 'offline')
  })
  if (response.ok) return response
  const { message = 'other' } = await response.json().catch(() => ({}))
  throw new OwnError(response.status, message, Number(response.headers.get('retry-after') ?? 0))
}

const post = (path: string, body: object, session?: string) =>
  request(path, { method: 'POST', body, session })

const json = async <T>(response: Promise<Response>): Promise<T> => (await response).json()

interface CodeRequest {
  readonly purpose: Purpose
  readonly channel: Channel
  readonly address?: string
}

/** Returns the address it went to, masked. */
export const sendCode = (asked: CodeRequest, session?: string) =>
  json<{ address: string }>(post('codes', asked, session))

export interface GivenCode {
  readonly channel: Channel
  readonly code: string
}

export const openSession = (given: GivenCode) =>
  json<{ session: string }>(post('sessions', given)).then(({ session }) => session)

export const confirmContact = (given: GivenCode) =>
  json<{ isAttached: boolean; walletUrl?: string }>(post('contacts/confirm', given))

export const readProfile = (session: string) => json<OwnProfile>(request('profile', { session }))

export const changeProfile = (patch: OwnPatch, session: string) =>
  json<OwnProfile>(request('profile', { method: 'PATCH', body: patch, session }))

export const downloadData = async (given: GivenCode): Promise<Blob> => (await post('download', given)).blob()

export const eraseData = async (given: GivenCode): Promise<void> => {
  await post('erase', given)
}
