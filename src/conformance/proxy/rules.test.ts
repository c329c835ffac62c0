import { expect, test } from 'vitest'
import { toHtml, toText } from '../report.ts'
import { judge, readNumber, rules } from './guide.ts'
import { createRecorder, type Seen } from './record.ts'
import { scenes } from './scenes.ts'
import type { Exchange, Session, Shown } from './session.ts'

const secret = 'lws_0123456789abcdef'
const tokens = ['token-of-the-first-hour', 'token-of-the-second-hour']
const hourMs = 3_600_000

interface Sent {
  readonly scene?: string
  readonly at: number
  readonly method?: string
  readonly url?: string
  readonly headers?: Record<string, string>
  readonly body?: object
  readonly status?: number | 'cut'
  readonly reply?: object
  readonly replyHeaders?: Record<string, string>
}

const sale = (at: number, more: Partial<Sent> = {}, body: object = {}): Sent => ({
  scene: 'sale',
  at,
  url: '/v1/transactions/process',
  body: { barcode: '1', amount: 10, opaqueId: 'R-1', ...body },
  status: 201,
  reply: { totals: { due: 9 } },
  ...more,
})

const login = (at: number, n = 0): Sent => ({
  scene: 'token',
  at,
  url: '/auth/token',
  headers: { 'x-api-key': 'lwk_0123456789abcdef', 'x-api-secret': secret },
  status: 200,
  reply: { accessToken: tokens[n], refreshToken: 'lwr_0123456789abcdef', expiresIn: at + hourMs },
})

/** A till that does everything right: it loses an answer, waits, is refused, and shows what is true. */
const good: readonly Sent[] = [
  login(0),
  sale(1_000),
  sale(2_000, { status: 'cut' }, { opaqueId: 'R-2' }),
  sale(3_000, {}, { opaqueId: 'R-2' }),
  sale(4_000, { status: 503, replyHeaders: { 'retry-after': '2' } }, { opaqueId: 'R-3' }),
  sale(7_000, {}, { opaqueId: 'R-3' }),
  sale(
    8_000,
    { scene: 'refused coupon', status: 400, reply: { message: 'coupon_already_redeemed' } },
    { opaqueId: 'R-4', reward: 'cpn_1' },
  ),
  {
    at: 9_000,
    url: '/v1/transactions/txn_1/return',
    headers: { 'idempotency-key': 'a' },
    body: { items: [] },
    status: 201,
  },
  { at: 10_000, method: 'GET', url: '/v1/customers/find?q=1', status: 200, reply: { id: 'cus_1' } },
]

const goodShown: readonly Shown[] = [
  { scene: 'sale', what: 'amount', value: 9 },
  { scene: 'refused coupon', what: 'amount', value: undefined },
  { scene: 'another till', what: 'balance', value: 34, expected: 34, isFresh: true },
]

function record(sent: readonly Sent[]): Exchange[] {
  const { record } = createRecorder()
  return sent.map(
    ({ scene = 'sale', at, method = 'POST', url = '/', headers, body, status, reply, replyHeaders }) => {
      const token = url.startsWith('/auth') ? {} : { authorization: `Bearer ${tokens[0]}` }
      const seen: Seen = {
        scene,
        startedMs: at,
        endedMs: at + 10,
        method,
        url,
        headers: { ...token, ...headers },
        body: body ? JSON.stringify(body) : '',
        ...(status !== 'cut' && {
          answer: { status: status!, headers: replyHeaders ?? {}, body: JSON.stringify(reply ?? {}) },
        }),
      }
      return record(seen)
    },
  )
}

const session = (sent: readonly Sent[], shown: readonly Shown[] = goodShown): Session => ({
  exchanges: record(sent),
  shown,
  scenes: scenes.map(({ id, text }) => ({ id, text, outcome: 'done' })),
})

const brokenBy = (given: Session) =>
  judge('https://wallet.example.com', given)
    .verdicts.filter(({ outcome }) => outcome === 'broken')
    .map(({ id }) => id)

test('a till that does everything right breaks no rule, and every rule had its occasion', () => {
  const { verdicts, isConforming } = judge('https://wallet.example.com', session(good))
  expect(verdicts.filter(({ outcome }) => outcome !== 'holds')).toEqual([])
  expect(isConforming).toBe(true)
})

const storm = Array.from({ length: 7 }, (_, i) =>
  sale(20_000 + i * 300, { status: 500 }, { opaqueId: 'R-9' }),
)

test.each<[rule: string, what: string, sent: readonly Sent[], shown?: readonly Shown[]]>([
  [
    'secrets.place',
    'a secret in the URL',
    [...good, { at: 11_000, method: 'GET', url: `/v1/campaigns?k=${secret}`, status: 200 }],
  ],
  [
    'secrets.place',
    'a token in the query',
    [...good, { at: 11_000, method: 'GET', url: '/v1/campaigns?access_token=x', status: 200 }],
  ],
  [
    'secrets.place',
    'the secret as a header everywhere',
    [
      ...good,
      { at: 11_000, method: 'GET', url: '/v1/campaigns', headers: { 'x-api-secret': secret }, status: 200 },
    ],
  ],
  [
    'secrets.place',
    'a secret in the body',
    [...good, sale(11_000, {}, { opaqueId: 'R-5', metaData: { secret } })],
  ],
  ['tokens.kept', 'a token for each request', [...good, login(11_000, 1), login(12_000), login(13_000, 1)]],
  ['sales.receipt', 'a sale without a receipt number', [...good, sale(11_000, {}, { opaqueId: undefined })]],
  [
    'writes.key',
    'a return that cannot be sent again',
    [...good, { at: 11_000, url: '/v1/transactions/txn_1/return', body: {}, status: 201 }],
  ],
  [
    'fields.known',
    'a misspelled field',
    [...good, sale(11_000, { replyHeaders: { 'ignored-members': 'pointsToSpent' } }, { opaqueId: 'R-5' })],
  ],
  ['repeats.same', 'another body with the same receipt', [...good, sale(11_000, {}, { amount: 11 })]],
  [
    'repeats.pause',
    'no pause',
    [
      ...good,
      sale(20_000, { status: 'cut' }, { opaqueId: 'R-9' }),
      sale(20_015, { status: 'cut' }, { opaqueId: 'R-9' }),
    ],
  ],
  ['repeats.pause', 'a storm', [...good, ...storm]],
  [
    'repeats.retry-after',
    'an early retry',
    [
      ...good,
      sale(20_000, { status: 429, replyHeaders: { 'retry-after': '5' } }, { opaqueId: 'R-9' }),
      sale(22_000, {}, { opaqueId: 'R-9' }),
    ],
  ],
  [
    'refusals.unchanged',
    'what was refused, again',
    [
      ...good,
      ...[20_000, 21_000].map((at) =>
        sale(at, { status: 400, reply: { message: '_invalid_payload' } }, { opaqueId: 'R-9' }),
      ),
    ],
  ],
  [
    'amounts.due',
    'an amount of its own',
    good,
    [{ scene: 'sale', what: 'amount', value: 10 }, ...goodShown.slice(1)],
  ],
  [
    'refusals.respected',
    'a discount for a refused coupon',
    good,
    [goodShown[0]!, { scene: 'refused coupon', what: 'amount', value: 5 }, goodShown[2]!],
  ],
  ['balances.fresh', 'an old balance', good, [...goodShown.slice(0, 2), { ...goodShown[2]!, value: 9 }]],
  [
    'balances.fresh',
    'a balance that was not asked for',
    good,
    [...goodShown.slice(0, 2), { ...goodShown[2]!, isFresh: false }],
  ],
])('%s: %s breaks this rule and no other', (rule, _what, sent, shown) => {
  expect(brokenBy(session(sent, shown))).toEqual([rule])
})

test('the whole amount may be asked for after a refusal', () => {
  const shown = [goodShown[0]!, { ...goodShown[1]!, value: 10 }, goodShown[2]!]
  expect(brokenBy(session(good, shown))).toEqual([])
})

test('a report has neither secrets nor tokens in it, in any form', () => {
  const leaky = [
    ...good,
    { at: 11_000, method: 'GET', url: `/v1/${secret}/x?t=${tokens[0]}`, status: 200 },
    sale(12_000, {}, { opaqueId: 'R-5', metaData: { secret } }),
  ]
  const given = session(leaky)
  const report = judge('https://wallet.example.com', given)
  expect(report.isConforming).toBe(false)
  const all = [toText(report), toHtml(report), JSON.stringify(report), JSON.stringify(given)].join()
  for (const word of [secret, ...tokens, 'lwk_0123', 'lwr_0123']) expect(all).not.toContain(word)
})

test('a scene that was left out is no pass, unless it may be', () => {
  const given = session(good)
  const without = (id: string): Session => ({
    ...given,
    scenes: given.scenes.map((scene) => (scene.id === id ? { ...scene, outcome: 'skipped' } : scene)),
  })
  expect(judge('x', without('coupon')).isConforming).toBe(true)
  expect(judge('x', without('network')).isConforming).toBe(false)
  expect(toText(judge('x', without('network')))).toContain('has not shown everything that it has to')
})

test('without an occasion, a rule is not tried', () => {
  const { verdicts } = judge('x', { exchanges: [], shown: [], scenes: [] })
  expect(verdicts.map(({ outcome }) => outcome)).toEqual(rules.map(() => 'untried'))
})

test.each([
  ['9', 9],
  ['9.50 USD', 9.5],
  ['12,50 €', 12.5],
  ['1.234,50', 1234.5],
  ['1,234.50', 1234.5],
  ['', undefined],
  ['none', undefined],
])('an amount written as "%s" is %s', (text, value) => expect(readNumber(text)).toBe(value))
