import { createHash } from 'node:crypto'
import { inflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publicHosts } from '../../src/operations/passes/installation.ts'
import {
  createPassAuthority,
  hasOpenssl,
  type PassAuthority,
  readZip,
  testPassType,
  testTeam,
} from '../support/pass-keys.ts'
import { coffeeClub, startTestService, type TestService } from '../support/service.ts'
import { openShop, type Shop } from '../support/shop.ts'

// Without the openssl command there are no certificates to sign with, and nothing to verify with.
describe.skipIf(!hasOpenssl)('a pass for Apple Wallet', () => {
  let authority: PassAuthority
  let service: TestService
  let shop: Shop
  let campaign: string

  beforeAll(async () => {
    authority = createPassAuthority()
    service = await startTestService({ passes: { apple: authority.issue(), hosts: publicHosts } })
    shop = await openShop(service)
    campaign = await shop.publish({
      ...coffeeClub,
      balances: [
        { key: 'stamps', name: 'Stamps' },
        { key: 'points', name: 'Points', expires: { after: 'P90D' } },
      ],
      tiers: [{ key: 'gold', name: 'Gold', balance: 'points', from: 10 }],
    })
  })
  afterAll(async () => {
    await service.close()
    authority.remove()
  })

  /** A customer with three stamps, points, a tier and a coupon. */
  async function openCard() {
    const person = await shop.register(campaign)
    await shop.process(person, { items: [{ id: 'a', product: 'latte', quantity: 3, amount: 12 }] })
    await shop.post('/v1/coupons', { customer: person.customer, campaign, reward: 'free-coffee' })
    const { walletUrl, barcode } = await shop.get(`/v1/cards/${person.card}`)
    return { ...person, barcode, wallet: new URL(walletUrl).pathname, walletUrl }
  }

  async function download(wallet: string) {
    const reply = await service.app.inject({ url: `${wallet}/pass.pkpass` })
    expect(reply.statusCode).toBe(200)
    expect(reply.headers['content-type']).toBe('application/vnd.apple.pkpass')
    const files = readZip(reply.rawPayload)
    return { archive: reply.rawPayload, files, pass: JSON.parse(files.get('pass.json')!.toString()) }
  }

  test('is signed so that openssl verifies it up to the root, and only as it is', async () => {
    const { files } = await download((await openCard()).wallet)
    authority.write('signature', files.get('signature')!)
    authority.write('manifest.json', files.get('manifest.json')!)
    const verify = (command: 'cms' | 'smime', content: string) =>
      authority.openssl(
        ...[command, '-verify', '-binary', '-inform', 'der', '-in', 'signature', '-content', content],
        ...['-CAfile', 'root.pem', '-purpose', 'any'],
      )
    expect(verify('cms', 'manifest.json')).toBe(files.get('manifest.json')!.toString())
    expect(verify('smime', 'manifest.json')).toBe(files.get('manifest.json')!.toString())
    authority.write('changed.json', `${files.get('manifest.json')!} `)
    expect(() => verify('cms', 'changed.json')).toThrow(/verif/i)
  })

  test('has a manifest with the hash of every other file', async () => {
    const { files } = await download((await openCard()).wallet)
    const manifest = JSON.parse(files.get('manifest.json')!.toString())
    const others = [...files].filter(([name]) => name !== 'manifest.json' && name !== 'signature')
    expect(manifest).toEqual(
      Object.fromEntries(others.map(([name, file]) => [name, createHash('sha1').update(file).digest('hex')])),
    )
    expect(Object.keys(manifest)).toEqual(
      expect.arrayContaining([
        'pass.json',
        'icon.png',
        'icon@2x.png',
        'strip@2x.png',
        'ar.lproj/pass.strings',
      ]),
    )
  })

  test('shows the card: code, balances, next reward, tier, coupons and what expires', async () => {
    const { card, barcode, wallet, walletUrl } = await openCard()
    const { pass } = await download(wallet)
    expect(pass).toMatchObject({
      formatVersion: 1,
      passTypeIdentifier: testPassType,
      teamIdentifier: testTeam,
      serialNumber: card,
      webServiceURL: expect.stringMatching(/^https:\/\/loyalty\.example\.com\/passes\/org_/),
      authenticationToken: expect.stringMatching(/^[\w-]{40,}$/),
      organizationName: 'Test',
      backgroundColor: 'rgb(11, 110, 99)',
      foregroundColor: 'rgb(255, 255, 255)',
      barcodes: [
        { format: 'PKBarcodeFormatCode128', message: barcode },
        { format: 'PKBarcodeFormatQR', message: barcode },
      ],
    })
    const { headerFields, secondaryFields, auxiliaryFields, backFields } = pass.storeCard
    const shown = (fields: { label: string; value: string }[]) =>
      fields.map(({ label, value }) => [label, value])
    expect(shown(headerFields)).toEqual([['Stamps', '3']])
    expect(headerFields[0].changeMessage).toBe('New balance: %@')
    expect(shown(secondaryFields)).toEqual([
      ['Next reward', '7 more for Free coffee'],
      ['Tier', 'Gold'],
    ])
    expect(shown(auxiliaryFields)).toEqual([
      ['Points', '12'],
      ['Coupons', '1'],
    ])
    expect(shown(backFields)).toEqual([
      ['Coupons', expect.stringMatching(/^Free coffee \(until .+\)\nShow your card/)],
      ['Expiring soon', expect.stringMatching(/^Points: 12, until /)],
      ['Program', 'Coffee club'],
      ['Card number', barcode],
      ['Card in the browser', walletUrl],
    ])
    expect(pass.authenticationToken).not.toBe(wallet.split('/').at(-1))
  })

  test('has its words in three languages', async () => {
    const { files } = await download((await openCard()).wallet)
    const strings = (language: string) => files.get(`${language}.lproj/pass.strings`)!.toString()
    expect(strings('en')).toContain('"Next reward" = "Next reward";')
    expect(strings('de')).toContain('"7 more for Free coffee" = "Noch 7 bis: Free coffee";')
    expect(strings('ar')).toContain('"Next reward" = "المكافأة التالية";')
  })

  test('draws the stamps as a picture', async () => {
    const { files } = await download((await openCard()).wallet)
    const { width, height, pixel } = readPng(files.get('strip@2x.png')!)
    expect([width, height]).toEqual([750, 246])
    // Two rows of five: the third stamp of the first row is full, the fourth is empty.
    const cell = Math.min(750 / 5.5, 246 / 2.3)
    const at = (column: number) =>
      pixel(Math.round(375 + (column - 2) * cell + cell * 0.25), Math.round(123 - cell / 2))
    expect(at(2)).toEqual([255, 255, 255])
    expect(at(3)).toEqual(pixel(1, 1))
  })

  test('of a blocked card has no code, and is void', async () => {
    const { card, wallet } = await openCard()
    await shop.post(`/v1/cards/${card}/block`, {})
    const { pass } = await download(wallet)
    expect(pass.voided).toBe(true)
    expect(pass.barcodes).toBeUndefined()
  })

  test('carries the logo of the merchant if that is a PNG', async () => {
    const logo = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    )
    await shop.call('PATCH', '/v1/organization', { logo: `data:image/png;base64,${logo.toString('base64')}` })
    const { files } = await download((await openCard()).wallet)
    expect(files.get('logo.png')).toEqual(logo)
  })

  test('is not there for a wrong link, nor without keys', async () => {
    const { wallet } = await openCard()
    expect((await service.call('GET', `${wallet}x/pass.pkpass`)).status).toBe(404)
    const other = await startTestService({ sharing: service })
    expect((await other.call('GET', `${wallet}/pass.pkpass`)).status).toBe(404)
    await other.close()
  })
})

/** Reads a PNG as written by us: 8 bits that are the number of a color, without a filter. */
function readPng(png: Buffer) {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const contentOf = (type: string) => {
    const start = png.indexOf(type)
    return png.subarray(start + 4, start + 4 + png.readUInt32BE(start - 4))
  }
  const [palette, rows] = [contentOf('PLTE'), inflateSync(contentOf('IDAT'))]
  const pixel = (x: number, y: number) => [
    ...palette.subarray(rows[y * (width + 1) + 1 + x]! * 3).subarray(0, 3),
  ]
  return { width, height, pixel }
}
