import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkInstallationKeys, checkOrganizationKeys } from '../../src/cli/check-passes.ts'
import { type PassProblemCode, passProblems } from '../../src/domain/wallet-pass.ts'
import { startPassUpdates } from '../../src/jobs/update-passes.ts'
import { publicHosts } from '../../src/operations/passes/installation.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import {
  createPassAuthority,
  hasOpenssl,
  type PassAuthority,
  readZip,
  testPassType,
} from '../support/pass-keys.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const account = {
  type: 'service_account',
  client_email: 'passes@example.iam.gserviceaccount.com',
  private_key: privateKey,
}
const google = { issuer: '3388000000022', serviceAccount: JSON.stringify(account) }

let service: TestService
let merchant: Merchant
beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant()
})
afterAll(() => service.close())

const patch = (body: object, by = merchant) => by.call('PATCH', '/v1/wallet-passes', body)
const get = async (by = merchant) => (await by.call('GET', '/v1/wallet-passes')).body

async function expectProblems(body: object, codes: readonly PassProblemCode[]) {
  const reply = await patch(body)
  expectRefusal(reply, 400, '_invalid_payload')
  const [wallet] = Object.keys(body)
  const messages = codes.map((code) => passProblems[code]).join(' ')
  expect(reply.body.description).toBe(`${wallet}: ${messages}`)
  expect(reply.body.problems).toEqual(codes)
}

describe('keys for Google Wallet', () => {
  test('are stored encrypted, shown without the key, and removed', async () => {
    expect(await get()).toEqual({ barcode: 'code128' })
    const shown = {
      source: 'organization',
      isOffered: true,
      problems: [],
      issuer: google.issuer,
      serviceAccount: account.client_email,
    }
    const reply = await patch({ google })
    expect(reply.body).toEqual({ google: shown, barcode: 'code128' })
    const { rows } = await service.database.pool.query('SELECT google FROM pass_settings')
    expect(rows[0].google.includes('PRIVATE KEY')).toBe(false)
    expect((await patch({ barcode: 'qr' })).body).toEqual({ google: shown, barcode: 'qr' })
    await service.flushRequests()
    for (const table of ['http_requests', 'audit_entries']) {
      const logged = await service.database.pool.query(`SELECT t::text AS row FROM ${table} t`)
      expect(logged.rows.length).toBeGreaterThan(0)
      expect(JSON.stringify(logged.rows)).not.toMatch(/PRIVATE KEY|gserviceaccount/)
    }
    expect((await patch({ google: null })).body).toEqual({ barcode: 'qr' })
  })

  test.each<{ name: string; serviceAccount?: string; issuer?: string; codes: PassProblemCode[] }>([
    { name: 'no JSON', serviceAccount: 'x', codes: ['service_account_unreadable'] },
    { name: 'nothing', serviceAccount: 'null', codes: ['service_account_unreadable'] },
    {
      name: 'a key of another kind',
      serviceAccount: JSON.stringify({ ...account, type: 'authorized_user' }),
      codes: ['service_account_unreadable'],
    },
    {
      name: 'a key that is none, and an issuer that is none',
      serviceAccount: JSON.stringify({ ...account, private_key: 'x' }),
      issuer: 'Blue Cup',
      codes: ['service_account_unreadable', 'issuer_invalid'],
    },
  ])('are refused if they are $name', async ({ codes, name, ...wrong }) => {
    await expectProblems({ google: { ...google, ...wrong } }, codes)
  })

  test('that another installation sealed are reported, and not replaced with those of the operator', async () => {
    const other = await service.createMerchant()
    await patch({ google }, other)
    await service.database.pool.query(`UPDATE pass_settings SET google = '\\x00'`)
    const own = await startTestService({ sharing: service, passes: { google, hosts: publicHosts } })
    const reply = await own.call('GET', '/v1/wallet-passes', { token: other.token })
    expect(reply.body.google).toMatchObject({
      source: 'organization',
      isOffered: false,
      problems: [{ code: 'sealed_elsewhere', isWarning: false }],
    })
    const fresh = await service.createMerchant()
    const shared = await own.call('GET', '/v1/wallet-passes', { token: fresh.token })
    expect(shared.body.google).toMatchObject({ source: 'installation', isOffered: true })
    await own.close()
  })
})

// Without the openssl command there are no certificates.
describe.skipIf(!hasOpenssl)('keys for Apple Wallet', () => {
  let authority: PassAuthority
  beforeAll(() => {
    authority = createPassAuthority()
  })
  afterAll(() => authority.remove())

  const problems: {
    name: string
    make: () => object
    codes: readonly PassProblemCode[]
  }[] = [
    {
      name: 'have expired',
      make: () => authority.issue({ days: -1 }),
      codes: ['certificate_expired'],
    },
    {
      name: 'are of another team',
      make: () => ({ ...authority.issue(), team: 'ZZZZZZZZZZ' }),
      codes: ['wrong_team'],
    },
    {
      name: 'are for another pass type',
      make: () => ({ ...authority.issue(), passType: 'pass.com.example.other' }),
      codes: ['wrong_pass_type'],
    },
    {
      name: 'do not belong together',
      make: () => ({ ...authority.issue(), privateKey }),
      codes: ['key_mismatch'],
    },
    {
      name: 'lack the intermediate certificate',
      make: () => ({ ...authority.issue(), intermediate: undefined }),
      codes: ['chain_missing'],
    },
    {
      name: 'come with an intermediate certificate that did not issue them',
      make: () => ({ ...authority.issue(), intermediate: authority.read('root.pem') }),
      codes: ['chain_mismatch'],
    },
    {
      name: 'are those of a web server',
      make: () => authority.issue({ subject: '/CN=example.com' }),
      codes: ['not_a_pass_certificate'],
    },
    {
      name: 'are not RSA',
      make: () => authority.issue({ key: 'ec' }),
      codes: ['key_not_rsa'],
    },
    {
      name: 'are no keys',
      make: () => ({ certificate: 'x', privateKey: 'y', intermediate: 'z' }),
      codes: ['certificate_unreadable', 'key_unreadable'],
    },
  ]
  test.each(problems)('are refused if they $name', async ({ make, codes }) => {
    await expectProblems({ apple: make() }, codes)
  })

  test('may have a passphrase, and need it then', async () => {
    const keys = authority.issue()
    const plain = authority.write('plain.key', keys.privateKey)
    authority.openssl('pkcs8', '-topk8', '-in', plain, '-out', 'locked.key', '-passout', 'pass:sesame')
    const locked = { ...keys, privateKey: authority.read('locked.key') }
    await expectProblems({ apple: locked }, ['key_unreadable'])
    const reply = await patch({ apple: { ...locked, passphrase: 'sesame' } })
    expect(reply.body.apple).toMatchObject({ source: 'organization', isOffered: true, problems: [] })
  })

  test('are offered on the wallet page until they expire, which is announced before', async () => {
    const shop = await service.createMerchant()
    const campaign = await shop.publishCampaign()
    const { card } = await shop.register(campaign)
    const wallet = new URL((await shop.call('GET', `/v1/cards/${card}`)).body.walletUrl).pathname
    const offered = async () => (await service.call('GET', `${wallet}/card`)).body.passes
    expect(await offered()).toEqual([])
    await patch({ apple: authority.issue({ days: 365 }) }, shop)
    expect(await offered()).toEqual(['apple'])
    expect((await get(shop)).apple.problems).toEqual([])
    const pass = await service.app.inject({ url: `${wallet}/pass.pkpass` })
    expect(readZip(pass.rawPayload).has('signature')).toBe(true)

    service.advance(340 * 86_400_000)
    const call = await shop.signIn()
    const soon = (await call('GET', '/v1/wallet-passes')).body.apple
    expect(soon).toMatchObject({
      isOffered: true,
      problems: [{ code: 'certificate_expires_soon', isWarning: true }],
    })
    service.advance(30 * 86_400_000)
    const later = await shop.signIn()
    expect((await later('GET', '/v1/wallet-passes')).body.apple).toMatchObject({
      isOffered: false,
      problems: [{ code: 'certificate_expired', message: passProblems.certificate_expired }],
    })
    expect(await offered()).toEqual([])
    expect((await service.call('GET', `${wallet}/pass.pkpass`)).status).toBe(404)
    service.advance(-370 * 86_400_000)
  })

  test('of the installation are reported in the log when the service starts', async () => {
    const apple = authority.issue({ days: 20 })
    const own = await startTestService({ sharing: service, passes: { apple, hosts: publicHosts } })
    await startPassUpdates(own.deps).stop()
    expect(own.logged).toEqual([
      {
        level: 'warn',
        details: { wallet: 'apple', problem: 'certificate_expires_soon' },
        message: passProblems.certificate_expires_soon,
      },
    ])
    await own.close()
  })

  test('are what the doctor looks at, those of the installation and of merchants', async () => {
    const now = service.deps.clock()
    const hosts = publicHosts
    expect(checkInstallationKeys({ hosts }, now)).toMatchObject({ status: 'ok' })
    const good = checkInstallationKeys({ apple: authority.issue(), google, hosts }, now)
    expect(good).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(/apple and google, until \d{4}/),
    })
    expect(checkInstallationKeys({ apple: authority.issue({ days: 20 }), hosts }, now)).toMatchObject({
      status: 'warning',
      message: `apple: ${passProblems.certificate_expires_soon}`,
      advice: expect.stringMatching(/APPLE_PASS/),
    })

    const examine = () => checkOrganizationKeys(service.deps.pool, 'pepper-of-the-tests')
    const shop = await service.createMerchant()
    const { card } = await shop.register(await shop.publishCampaign())
    await patch({ apple: authority.issue({ days: 20 }) }, shop)
    expect(await examine()).toMatchObject({ status: 'ok' })
    // As soon as a phone has a pass.
    const { walletUrl } = (await shop.call('GET', `/v1/cards/${card}`)).body
    const key = service.deps.walletTokens.read(new URL(walletUrl).pathname.split('/').at(-1)!)!
    const path = `/passes/${shop.id}/v1/devices/phone/registrations/${testPassType}/${card}`
    const headers = { authorization: `ApplePass ${service.deps.passTokens.create(key)}` }
    await service.call('POST', path, { headers, body: { pushToken: '0123456789abcdef' } })
    const found = await examine()
    expect(found).toMatchObject({ status: 'warning', advice: expect.stringMatching(/Wallet passes/) })
    expect(found.message).toContain(`${shop.id} (apple certificate_expires_soon)`)
    expect((await checkOrganizationKeys(service.deps.pool, 'another pepper')).message).toContain(
      'sealed_elsewhere',
    )
  })

  test('of one organization sign no pass of another', async () => {
    await patch({ apple: authority.issue() })
    expect(await get(await service.createMerchant())).toEqual({ barcode: 'code128' })
  })
})
