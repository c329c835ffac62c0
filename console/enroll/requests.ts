/** What the page asks the service for. It has no session: its address is all it knows. */
import { type Challenge, type Proof, prove } from './prove.ts'

const address = location.pathname.replace(/\/+$/, '')

export interface Offer {
  readonly organization: {
    readonly name: string
    readonly color: string
    readonly logo?: string
    readonly locale: string
    readonly termsUrl?: string
    readonly privacyUrl?: string
    readonly mode: 'live' | 'test'
  }
  readonly campaignName: string
  readonly rewards: readonly {
    readonly name: string
    readonly needed: number
    readonly balanceName: string
  }[]
  readonly isOpen: boolean
  readonly needsApproval: boolean
  /** What messages can be sent by. */
  readonly channels: readonly Channel[]
  /** By language. */
  readonly consent: Readonly<Record<string, string>>
  readonly challenge: Challenge
}

export type Channel = 'email' | 'sms'
export type Contact = { readonly email: string } | { readonly phone: string }

export interface Applicant {
  readonly fullname: string
  readonly contact: Contact
  readonly marketing: boolean
  readonly language: string
}

/** `code` is that of the service, or else `unreachable`. */
export class Failed extends Error {
  readonly code: string
  readonly retryAfter: number | undefined
  constructor(code: string, retryAfter?: number) {
    super(code)
    this.code = code
    this.retryAfter = retryAfter
  }
}

/** A page that stays open, and the work that the service wants to see before it accepts anything. */
export interface Visit {
  readonly offer: Offer
  enroll(applicant: Applicant): Promise<string>
  sendLink(contact: Contact): Promise<void>
}

export async function openVisit(): Promise<Visit> {
  const offer = await readOffer()
  let proof = offer.isOpen ? begin(offer) : undefined
  /** A challenge is valid for minutes, and people are called away: the second attempt has a new one. */
  async function send<T>(path: string, body: (proof: Proof) => object): Promise<T> {
    proof ??= begin(offer)
    try {
      return await post<T>(path, body(await proof))
    } catch (error) {
      if (!(error instanceof Failed) || error.code !== 'invalid_proof') throw error
      proof = begin(await readOffer())
      return post<T>(path, body(await proof))
    }
  }
  return {
    offer,
    async enroll({ fullname, contact, marketing, language }) {
      const sent = { fullname, ...contact, consents: { marketing }, language }
      const { walletUrl } = await send<{ walletUrl: string }>('customers', (solved) => ({
        ...sent,
        ...solved,
      }))
      return walletUrl
    },
    async sendLink(contact) {
      await send('link', (solved) => ({ ...contact, ...solved }))
      // One challenge is one request, so that nobody can ask for a thousand links with it.
      proof = undefined
    },
  }
}

function begin({ challenge }: Offer): Promise<Proof> {
  const proof = prove(challenge)
  // It is awaited once the form is sent; until then nobody handles a failure.
  proof.catch(() => {})
  return proof
}

const readOffer = (): Promise<Offer> => request<Offer>(`${address}/page`)

const post = <T>(path: string, body: object): Promise<T> =>
  request<T>(`${address}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

async function request<T>(url: string, init?: RequestInit): Promise<T> {
  const response = await fetch(url, init).catch(() => {
    throw new Failed('unreachable')
  })
  const body = await response.json().catch(() => ({}))
  if (response.ok) return body as T
  throw new Failed(
    String(body.message ?? 'unreachable'),
    Number(response.headers.get('retry-after')) || undefined,
  )
}
