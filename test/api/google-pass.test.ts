import { importSPKI, jwtVerify } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Jobs } from '../../src/jobs/run-jobs.ts'
import { startPassUpdates } from '../../src/jobs/update-passes.ts'
import { publicHosts } from '../../src/operations/passes/installation.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import {
  createServiceAccount,
  type GoogleAccount,
  type GoogleWallet,
  startGoogleWallet,
} from '../support/google-wallet.ts'
import { coffeeClub, startTestService, type TestService } from '../support/service.ts'
import { openShop, type Person, type Shop } from '../support/shop.ts'

let google: GoogleWallet
let service: TestService
let account: GoogleAccount
let shop: Shop
let campaign: string
let jobs: Jobs | undefined

beforeAll(async () => {
  google = await startGoogleWallet()
  service = await startTestService({ passes: { hosts: { ...publicHosts, ...google.hosts } } })
})
afterAll(async () => {
  await service.close()
  await google.close()
})
beforeEach(async () => {
  google.fail = () => undefined
  account = google.createAccount()
  shop = await openShop(service)
  campaign = await shop.publish(coffeeClub)
  await useKeys(shop, account)
  return async () => {
    await jobs?.stop()
    jobs = undefined
  }
})

const useKeys = async (by: Shop, { issuer, serviceAccount }: GoogleAccount) => {
  const reply = await by.call('PATCH', '/v1/wallet-passes', { google: { issuer, serviceAccount } })
  expect(reply.status, reply.text).toBe(200)
}

const startJobs = () => {
  jobs ??= startPassUpdates(service.deps, { pauseMs: 20 })
}
/** A process that found nothing looks again only after seconds. */
const soon = <T>(read: () => T) => expect.poll(read, { timeout: 30_000 })

async function openCard(by = shop, of = campaign): Promise<Person & { wallet: string; barcode: string }> {
  const person = await by.register(of)
  await by.process(person, { items: [{ id: 'a', product: 'latte', quantity: 3, amount: 12 }] })
  const { walletUrl, barcode } = await by.get(`/v1/cards/${person.card}`)
  return { ...person, barcode, wallet: new URL(walletUrl).pathname }
}

const save = (wallet: string) => service.call('GET', `${wallet}/google-pass`)
const objectOf = ({ card }: Person) => google.stored.get(`loyaltyObject/${account.issuer}.${card}`)
const patchesOf = ({ card }: Person) =>
  google.requests.filter((request) => request.startsWith('PATCH') && request.endsWith(card)).length

test('the link is signed by the service account and names what Google has', async () => {
  const card = await openCard()
  const reply = await save(card.wallet)
  expect(reply.status).toBe(302)
  const location = String(reply.headers.location)
  expect(location.startsWith('https://pay.google.com/gp/v/save/')).toBe(true)
  // Longer ones are cut off by some browsers.
  expect(location.length).toBeLessThan(1_800)
  const key = await importSPKI(account.publicKey, 'RS256')
  const { payload } = await jwtVerify(location.split('/').at(-1)!, key, {
    audience: 'google',
    issuer: account.email,
  })
  expect(payload).toMatchObject({
    typ: 'savetowallet',
    origins: ['https://loyalty.example.com'],
    payload: {
      loyaltyObjects: [{ id: `${account.issuer}.${card.card}`, classId: `${account.issuer}.${campaign}` }],
    },
  })
})

test('the pass shows the card, in three languages and without a word about the customer', async () => {
  const card = await openCard()
  await shop.call('PATCH', `/v1/customers/${card.customer}`, { data: { fullname: 'Grace Hopper' } })
  await save(card.wallet)
  expect(google.stored.get(`loyaltyClass/${account.issuer}.${campaign}`)).toMatchObject({
    issuerName: 'Test',
    programName: 'Coffee club',
    hexBackgroundColor: '#0b6e63',
    reviewStatus: 'UNDER_REVIEW',
  })
  const object = objectOf(card)!
  expect(object).toMatchObject({
    state: 'ACTIVE',
    barcode: { type: 'CODE_128', value: card.barcode },
    loyaltyPoints: { localizedLabel: { defaultValue: { value: 'Points' } }, balance: { string: '12' } },
    secondaryLoyaltyPoints: { balance: { string: '3' } },
  })
  const [next] = object.textModulesData as { localizedBody: { translatedValues: object[] } }[]
  expect(next!.localizedBody).toEqual({
    defaultValue: { language: 'en', value: '7 more for Free coffee' },
    translatedValues: [
      { language: 'de', value: 'Noch 7 bis: Free coffee' },
      { language: 'ar', value: 'بقي 7 للحصول على Free coffee' },
    ],
  })
  expect(JSON.stringify(object)).not.toMatch(/Grace|Hopper/)
})

test('its pictures can be fetched, and no others', async () => {
  const card = await openCard()
  await save(card.wallet)
  const { heroImage } = objectOf(card) as { heroImage: { sourceUri: { uri: string } } }
  const path = new URL(heroImage.sourceUri.uri).pathname
  expect(path).toMatch(/\/stamps\/3-of-10-0b6e63\.png$/)
  const { programLogo } = google.stored.get(`loyaltyClass/${account.issuer}.${campaign}`) as {
    programLogo: { sourceUri: { uri: string } }
  }
  for (const picture of [path, new URL(programLogo.sourceUri.uri).pathname]) {
    const reply = await service.app.inject({ url: picture })
    expect([reply.statusCode, reply.headers['content-type']]).toEqual([200, 'image/png'])
    expect(reply.rawPayload.subarray(1, 4).toString()).toBe('PNG')
  }
  for (const wrong of [
    '3-of-10-ffffff.png',
    '3-of-21-0b6e63.png',
    '7-of-100-0b6e63.png',
    '4-of-3-0b6e63.png',
    'x',
  ]) {
    expect((await service.call('GET', path.replace(/[^/]+$/, wrong))).status).toBe(404)
  }
  expect((await service.call('GET', '/passes/org_x/logo.png')).status).toBe(404)
})

test('a sale updates it with the same token, and what Google knows about its users becomes an event', async () => {
  const card = await openCard()
  const { tokens } = google
  await save(card.wallet)
  startJobs()
  await soon(() => patchesOf(card)).toBe(1)
  expect(await shop.events('pass.added', card)).toEqual([])
  google.saved.add(`${account.issuer}.${card.card}`)
  await shop.process(card, { amount: 30 })
  await soon(() => (objectOf(card)!.loyaltyPoints as { balance: { string: string } }).balance.string).toBe(
    '42',
  )
  const data = { customer: card.customer, card: card.card, wallet: 'google' }
  await soon(() => shop.events('pass.added', card)).toEqual([data])
  expect(google.tokens).toBe(tokens + 1)
  google.saved.clear()
  await shop.adjust(card, 'points', 1)
  await soon(() => shop.events('pass.removed', card)).toEqual([data])
  // The events of passes are no changes of the card.
  expect(patchesOf(card)).toBe(3)
})

test('a failure is retried, and a refusal of the account waits for somebody', async () => {
  service.holdTime()
  const card = await openCard()
  await save(card.wallet)
  google.fail = (request) => (request.startsWith('PATCH') ? 503 : undefined)
  startJobs()
  await soon(() => patchesOf(card)).toBe(1)
  const dueAt = async () => {
    const sql = 'SELECT due_at FROM passes WHERE card_id = $1'
    return (await service.database.pool.query(sql, [card.card.slice(5)])).rows[0].due_at as Date | null
  }
  await soon(async () => (await dueAt())! > service.deps.clock()).toBe(true)
  google.fail = (request) => (request.startsWith('PATCH') ? 403 : undefined)
  service.advance(10_000)
  await soon(() =>
    service.logged.some(({ details }) => 'reason' in details && details.reason === 'status 403'),
  ).toBe(true)
  expect(patchesOf(card)).toBe(2)
  google.fail = () => undefined
  // New keys are tried at once.
  await useKeys(shop, account)
  await soon(dueAt).toBe(null)
  expect(patchesOf(card)).toBe(3)
})

test('an erased customer leaves an ended pass without data', async () => {
  const card = await openCard()
  await save(card.wallet)
  await shop.post(`/v1/customers/${card.customer}/erase`, {})
  startJobs()
  await soon(() => objectOf(card)!.state).toBe('EXPIRED')
  expect(JSON.stringify(objectOf(card))).not.toContain(card.barcode)
  const left = async () => {
    const { rows } = await service.database.pool.query('SELECT 1 FROM passes WHERE card_id = $1', [
      card.card.slice(5),
    ])
    return rows.length
  }
  await soon(left).toBe(0)
})

test('whoever names the account of somebody else, without its key, gets nothing', async () => {
  await save((await openCard()).wallet)
  const thief = await openShop(service)
  const theirs = JSON.parse(createServiceAccount().serviceAccount)
  const serviceAccount = JSON.stringify({ ...theirs, client_email: account.email })
  await useKeys(thief, { ...account, serviceAccount })
  const card = await openCard(thief, await thief.publish(coffeeClub))
  expectRefusal(await save(card.wallet), 503, '_unavailable')
  expect(objectOf(card)).toBeUndefined()
})

test('there is no link while Google does not answer, and none without keys', async () => {
  const card = await openCard()
  google.fail = () => 500
  expectRefusal(await save(card.wallet), 503, '_unavailable')
  await shop.call('PATCH', '/v1/wallet-passes', { google: null })
  expectRefusal(await save(card.wallet), 404, '_not_found')
})
