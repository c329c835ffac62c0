/** The keys for passes, as a merchant sets them up: what is wrong with them is said, until customers are offered passes. */
import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import {
  createPassAuthority,
  hasOpenssl,
  type PassAuthority,
  testPassType,
  testTeam,
} from '../support/pass-keys.ts'
import { callApi, expectAccessible, expectCalm, newCustomer, openPage, startBrowser } from './browser.ts'
import { openConsole, pageTitle } from './console.ts'
import { desk, look } from './pictures.ts'

startBrowser()

let authority: PassAuthority
beforeAll(() => {
  if (hasOpenssl) authority = createPassAuthority()
})
afterAll(async () => {
  if (hasOpenssl) authority.remove()
  await callApi('PATCH', '/v1/wallet-passes', { body: { apple: null, google: null, barcode: 'code128' } })
})

// Without the openssl command there are no certificates.
test.skipIf(!hasOpenssl)(
  'keys for Apple Wallet are corrected until the wallet page offers passes',
  async () => {
    const { cards } = await newCustomer()
    const wallet = await openPage()
    const button = wallet.page.getByRole('link', { name: 'Add to Apple Wallet' })
    await wallet.page.goto(cards[0].walletUrl)
    await wallet.page.getByRole('heading', { level: 1 }).waitFor()
    expect(await button.count()).toBe(0)

    const opened = await openConsole('/settings', { expected: [400] })
    const { page } = opened
    await page.getByRole('link', { name: 'Set up wallet passes' }).click()
    await pageTitle(page, 'Wallet passes').waitFor()
    const guide = page.getByRole('link', { name: 'How to get the keys' })
    const { href } = new URL((await guide.getAttribute('href'))!, page.url())
    expect((await page.request.get(href)).ok()).toBe(true)
    await page.getByRole('button', { name: 'Add Apple keys' }).click()
    const dialog = page.getByRole('dialog')
    const alert = dialog.getByRole('alert')
    if (isFull) {
      const expired = authority.issue({ days: -1 })
      // The certificate has the focus.
      await page.keyboard.insertText(expired.certificate)
      await dialog.getByRole('textbox', { name: 'Private key' }).fill(expired.privateKey)
    }
    const right = authority.issue()
    await dialog.getByRole('textbox', { name: 'WWDR certificate' }).fill(right.intermediate!)
    await dialog.getByRole('textbox', { name: 'Team' }).fill('ZZZZZZZZZZ')
    if (isFull) {
      await dialog.getByRole('button', { name: 'Save' }).click()
      await alert.getByText('The certificate has expired.').waitFor()
      await alert.getByText('The certificate belongs to a different team.').waitFor()
      await expectAccessible(page)
    }

    // As Apple offers it for download.
    authority.openssl(
      'x509',
      '-in',
      authority.write('right.pem', right.certificate),
      '-outform',
      'der',
      '-out',
      'pass.cer',
    )
    const choose = async (field: string, file: string) => {
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        dialog.getByRole('button', { name: `Choose file: ${field}` }).click(),
      ])
      await chooser.setFiles(file)
    }
    await choose('Private key', authority.write('both.p12', 'x'))
    await dialog.getByText('This file is a container').waitFor()
    await choose('Pass type certificate', `${authority.folder}/pass.cer`)
    await choose('Private key', authority.write('pass.key', right.privateKey))
    await expect
      .poll(() => dialog.getByRole('textbox', { name: 'Private key' }).inputValue())
      .toBe(right.privateKey.trim())
    await dialog.getByRole('button', { name: 'Save' }).click()
    await alert.getByText('The certificate belongs to a different team.').waitFor()
    await expect.poll(() => alert.getByText('has expired').count()).toBe(0)
    await dialog.getByRole('textbox', { name: 'Team' }).fill(testTeam)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Customers can add passes').waitFor()
    await page.getByText(testPassType).waitFor()
    await page.getByText('Valid until').waitFor()

    await wallet.page.reload()
    await button.waitFor()
    // Nothing secret comes back.
    await page.getByRole('button', { name: 'Replace keys: Apple Wallet' }).click()
    expect(await dialog.getByRole('textbox', { name: 'Private key' }).inputValue()).toBe('')
    expect(await dialog.getByRole('textbox', { name: 'Pass type', exact: true }).inputValue()).toBe(
      testPassType,
    )
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await look(page, 'console-wallet-passes')
    await page.setViewportSize(desk)

    await page.getByRole('button', { name: 'Remove keys: Apple Wallet' }).click()
    await dialog.getByRole('button', { name: 'Remove keys' }).click()
    await page.getByRole('button', { name: 'Add Apple keys' }).waitFor()
    expectCalm(opened)
    expectCalm(wallet)
  },
)

test('keys for Google Wallet and the code on a pass are chosen', { skip: !isFull }, async () => {
  const opened = await openConsole('/settings/wallet-passes', { expected: [400] })
  const { page } = opened
  await page.getByRole('button', { name: 'Add Google keys' }).click()
  const dialog = page.getByRole('dialog')
  await page.keyboard.type('my shop')
  await dialog.getByRole('textbox', { name: 'Key of the service account' }).fill('{}')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').getByText("The issuer ID isn't a number.").waitFor()
  await dialog.getByRole('alert').getByText("The key of the service account can't be read.").waitFor()
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
  await dialog.getByRole('textbox', { name: 'Issuer ID' }).fill('3388000000022')
  await dialog.getByRole('textbox', { name: 'Key of the service account' }).fill(JSON.stringify(account))
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText(account.client_email).waitFor()
  await page.getByRole('radio', { name: 'QR code' }).check()
  await expect.poll(async () => (await callApi('GET', '/v1/wallet-passes')).barcode).toBe('qr')
  await expectAccessible(page)
  expectCalm(opened)
})
