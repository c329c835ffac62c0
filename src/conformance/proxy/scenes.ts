/** What the tester is asked to do, what goes wrong meanwhile, and how the proxy knows that it was done. */
import type { Fault, Request } from './forward.ts'
import { couponsOf, type Exchange, isAccepted, isLookup, isReturn, isSale } from './session.ts'

export interface Scene {
  readonly id: string
  /** To the tester. */
  readonly text: string
  /** Why a till that ends it without that has failed; scenes without are only left out. */
  readonly failure?: string
  /** What goes wrong with a request, given those of the scene so far. */
  fault?(request: Request, seen: readonly Exchange[]): Fault | undefined
  isDone(seen: readonly Exchange[]): boolean
  /** What the tester reads from the till afterwards. */
  readonly question?: 'amount' | 'balance'
  /** Changes the balance of the card behind the till's back. */
  readonly isBehind?: boolean
  /** A till that cannot do it may still pass. */
  readonly isOptional?: boolean
}

const isSaleRequest = ({ method, path }: Request) =>
  method === 'POST' && path.endsWith('/v1/transactions/process')
const isBasket = ({ method, path }: Request) =>
  method === 'POST' && /\/v1\/transactions\/(?:process|validate)$/.test(path)
const hasSale = (seen: readonly Exchange[]) => seen.some((one) => isSale(one) && isAccepted(one))

const hasCoupon = (request: Request) => couponsOf({ body: request.body } as Exchange).length > 0

export const scenes: readonly Scene[] = [
  {
    id: 'token',
    text: 'Start the till, or restart it, so that it gets a token.',
    isDone: (seen) => seen.some(({ issued }) => issued !== undefined),
  },
  {
    id: 'register',
    text: 'Register a new customer for a card.',
    isDone: (seen) =>
      seen.some(
        (one) => one.path.endsWith('/v1/customers/register') && one.method === 'POST' && isAccepted(one),
      ),
  },
  {
    id: 'scan',
    text: 'Scan or enter the barcode of that card.',
    isDone: (seen) => seen.some((one) => isLookup(one) && isAccepted(one)),
  },
  {
    id: 'sale',
    text: 'Sell something with this card, for about 10, without coupons and points.',
    isDone: hasSale,
    question: 'amount',
  },
  {
    id: 'network',
    text: 'Sell something again. The network fails after the service has processed it: the till has to send it again.',
    failure: 'it did not send the sale again with the same receipt number',
    fault: (request, seen) => (isSaleRequest(request) && !seen.some(isSale) ? { kind: 'cut' } : undefined),
    isDone(seen) {
      const [first, ...rest] = seen.filter(isSale)
      return rest.some((one) => isAccepted(one) && one.body?.opaqueId === first?.body?.opaqueId)
    },
    question: 'amount',
  },
  {
    id: 'busy',
    text: 'Sell something again. The service is busy at first, and asks the till to wait two seconds.',
    failure: 'it did not send the sale again after the service was busy',
    fault: (request, seen) =>
      isSaleRequest(request) && !seen.some(isSale)
        ? { kind: 'answer', status: 503, code: '_unavailable', retryAfter: 2 }
        : undefined,
    isDone: hasSale,
    question: 'amount',
  },
  {
    id: 'refused coupon',
    text: 'Sell something with a coupon. The service refuses the coupon.',
    fault: (request) =>
      isBasket(request) && hasCoupon(request)
        ? { kind: 'answer', status: 400, code: 'coupon_already_redeemed' }
        : undefined,
    isDone: (seen) => seen.some((one) => one.reply?.message === 'coupon_already_redeemed'),
    question: 'amount',
    isOptional: true,
  },
  {
    id: 'coupon',
    text: 'Sell something with a coupon.',
    isDone: (seen) => seen.some((one) => isSale(one) && isAccepted(one) && couponsOf(one).length > 0),
    question: 'amount',
    isOptional: true,
  },
  {
    id: 'points',
    text: 'Sell something and pay a part of it with points.',
    isDone: (seen) => seen.some((one) => isSale(one) && isAccepted(one) && one.body?.pointsToSpend > 0),
    question: 'amount',
    isOptional: true,
  },
  {
    id: 'another till',
    text: 'The customer has bought something at another till. Scan the card again, and look at the balance.',
    isBehind: true,
    isDone: (seen) => seen.some((one) => isLookup(one) && isAccepted(one)),
    question: 'balance',
  },
  {
    id: 'return',
    text: 'Return one line of a sale.',
    isDone: (seen) => seen.some((one) => isReturn(one) && isAccepted(one)),
    isOptional: true,
  },
  {
    id: 'expired token',
    text: 'The token has expired. Scan the card again: the till has to get a new token without being restarted.',
    failure: 'it did not get a new token and send its request again',
    fault(request, seen) {
      const isOurs = request.path.includes('/v1/') && request.headers.authorization !== undefined
      const isNew = seen.some(({ issued }) => issued !== undefined)
      return isOurs && !isNew ? { kind: 'answer', status: 401, code: '_jwt_expired' } : undefined
    },
    isDone(seen) {
      const renewed = seen.findIndex(({ issued }) => issued !== undefined)
      return renewed !== -1 && seen.slice(renewed).some((one) => one.path.includes('/v1/') && isAccepted(one))
    },
  },
]
