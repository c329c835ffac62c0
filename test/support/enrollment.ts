/** Enrolls a customer as the page in the browser does. */
import { createSearch } from '../../console/enroll/proof.ts'
import type { Reply, TestService } from './service.ts'

export interface Offer {
  readonly challenge: { readonly text: string; readonly bits: number }
}

export interface Proof {
  readonly challenge: string
  readonly nonce: string
}

export function prove({ challenge: { text, bits } }: Offer): Proof {
  const search = createSearch(text, bits)
  for (;;) {
    const nonce = search.next()
    if (nonce !== undefined) return { challenge: text, nonce }
  }
}

type Calling = Pick<TestService, 'call'>

export const getOffer = (service: Calling, shortName: string): Promise<Reply> =>
  service.call('GET', `/j/${shortName}/page`)

/** With a proof of its own, unless the body has another. */
export async function enroll(
  service: Calling,
  shortName: string,
  body: Record<string, unknown>,
  address?: string,
): Promise<Reply> {
  const proof = body.challenge ? {} : prove((await getOffer(service, shortName)).body)
  const applicant = { fullname: 'Ada Lovelace', language: 'en', ...proof, ...body }
  return service.call('POST', `/j/${shortName}/customers`, { body: applicant, address })
}

/** The card that a wallet URL leads to. */
export const openWallet = (service: Calling, walletUrl: string): Promise<Reply> =>
  service.call('GET', `${new URL(walletUrl).pathname}/card`)
