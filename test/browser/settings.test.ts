/** How customers see a merchant, and one's own account. */
import { expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import { callApi, expectCalm, openPage, startBrowser, unique } from './browser.ts'
import {
  addressOf,
  chosenPassword,
  expectAccessibleInBothSchemes,
  invite,
  join,
  newOrganization,
  openConsole,
  pageTitle,
} from './console.ts'
import { desk, look } from './pictures.ts'

startBrowser()

test('a new color, name and address are seen on the wallet page', async () => {
  const { invitation } = await newOrganization()
  const opened = await join(invitation, 'Bea Baker')
  const { page } = opened
  // A card to look at, with the session of the page.
  const post = async (path: string, data: object) => {
    const reply = await page.request.post(new URL(path, invitation).href, { data })
    expect(reply.ok()).toBe(true)
    return reply.json()
  }
  const { id } = await post('/v1/campaigns', {
    name: 'Bread club',
    balances: [{ key: 'crumbs', name: 'Crumbs' }],
  })
  await post(`/v1/campaigns/${id}/publish`, {})
  const customer = { data: { fullname: 'Wanda Wallet' } }
  const { cards } = await post('/v1/customers/register', { campaignId: id, customer })

  await page.getByRole('link', { name: 'Settings' }).click()
  await pageTitle(page, 'Settings').waitFor()
  const name = `Bread & Butter ${unique()}`
  await page.getByRole('textbox', { name: 'Name' }).fill(name)
  await page.getByRole('textbox', { name: 'Color' }).fill('#a61e4d')
  await page.keyboard.press('Tab')
  await page.getByRole('figure', { name: 'Card preview' }).getByText(name).waitFor()
  await page.getByRole('combobox', { name: 'Time zone' }).fill('denver')
  await page.getByRole('option', { name: 'America/Denver' }).click()
  const days = page.getByRole('textbox', { name: 'Accept sales from up to this many days ago' })
  expect(await days.inputValue()).toBe('30')
  await days.fill('7')
  await expectAccessibleInBothSchemes(page)
  // What is said goes away by itself: it is waited for from the beginning.
  await Promise.all([
    page.getByText('Saved', { exact: true }).waitFor(),
    page.getByRole('button', { name: 'Save', exact: true }).click(),
  ])
  await page.getByRole('banner').getByText(name).waitFor()
  await page.reload()
  await expect
    .poll(() => page.getByRole('combobox', { name: 'Time zone' }).inputValue())
    .toBe('America/Denver')
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe(name)
  expect(await days.inputValue()).toBe('7')
  await page.getByRole('textbox', { name: 'Address' }).fill('1 Main Street')
  await Promise.all([
    page.getByText('Saved', { exact: true }).waitFor(),
    page.getByRole('button', { name: 'Save contact' }).click(),
  ])

  const wallet = await openPage()
  await wallet.page.goto(cards[0].walletUrl)
  const title = wallet.page.getByText(name).first()
  await title.waitFor()
  await wallet.page.getByText('1 Main Street').waitFor()
  const shown = await (await fetch(`${cards[0].walletUrl}/card`)).json()
  expect(shown).toMatchObject({ organization: { name, color: '#a61e4d', timezone: 'America/Denver' } })
  const painted = await wallet.page.evaluate(`[...document.querySelectorAll('*')]
    .some((element) => getComputedStyle(element).backgroundColor === 'rgb(166, 30, 77)')`)
  expect(painted).toBe(true)
  expectCalm(wallet)
  expectCalm(opened)
})

test('customers are told how to reach the merchant, and are asked in its words', {
  skip: !isFull,
}, async () => {
  const { invitation } = await newOrganization()
  const opened = await join(invitation, 'Bea Baker', { expected: [400] })
  const { page } = opened
  const call = async (method: 'GET' | 'POST', path: string, data?: object) => {
    const reply = await page.request.fetch(new URL(path, invitation).href, { method, data })
    expect(reply.ok()).toBe(true)
    return reply.json()
  }
  const { id } = await call('POST', '/v1/campaigns', {
    name: 'Bread club',
    balances: [{ key: 'crumbs', name: 'Crumbs' }],
  })
  await call('POST', `/v1/campaigns/${id}/publish`, {})
  await page.getByRole('link', { name: 'Settings' }).click()
  const words = 'Bread & Butter may write to me about fresh bread.'
  await page.getByRole('textbox', { name: 'Address' }).fill('1 Main Street\nSpringfield')
  await page.getByRole('textbox', { name: 'Opening hours' }).fill('Mon–Fri 7–18')
  await page.getByRole('textbox', { name: 'Phone' }).fill('+1 202 555 0100')
  await page.getByRole('textbox', { name: 'Terms' }).fill('https://example.com/terms')
  const consent = page.getByRole('textbox', { name: 'Words of the marketing consent' })
  expect(await consent.getAttribute('placeholder')).toContain('I can stop them at any time.')
  await consent.fill(words)
  const preview = page.getByRole('figure', { name: 'Card preview' })
  await preview.last().getByText('Springfield').waitFor()
  await preview.last().getByRole('link', { name: 'Terms' }).waitFor()
  await expectAccessibleInBothSchemes(page)
  await Promise.all([
    page.getByText('Saved', { exact: true }).waitFor(),
    page.getByRole('button', { name: 'Save contact' }).click(),
  ])
  await preview.first().getByText('Mon–Fri 7–18').waitFor()
  expect((await call('GET', '/v1/organization')).contact).toEqual({
    address: '1 Main Street\nSpringfield',
    openingHours: 'Mon–Fri 7–18',
    phone: '+1 202 555 0100',
    termsUrl: 'https://example.com/terms',
    consentText: words,
  })
  await look(page, 'console-settings-contact')
  await page.setViewportSize(desk)

  await page.getByRole('link', { name: 'Customers' }).click()
  await page.getByRole('button', { name: 'Register customer' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(words).waitFor()
  await dialog.getByRole('textbox', { name: 'Full name' }).fill('Ada Lovelace')
  await dialog.getByRole('combobox', { name: 'Language' }).click()
  await page.getByRole('option', { name: 'Deutsch' }).click()
  await dialog.getByRole('switch', { name: 'Marketing consent' }).check()
  await expectAccessibleInBothSchemes(page)
  await dialog.getByRole('button', { name: 'Register' }).click()
  const main = page.getByRole('main')
  await main.getByText('Deutsch').waitFor()
  await main.getByText(`“${words}”`).waitFor()
  await look(page, 'console-customer-consent')
  await page.setViewportSize(desk)

  // Without a tick nobody was asked, at the till as well.
  await page.goto(new URL('/till', invitation).href)
  await page.getByRole('button', { name: 'New customer' }).click()
  await dialog.getByText(words).waitFor()
  await dialog.getByRole('textbox', { name: 'Full name' }).fill('Silent Sam')
  await dialog.getByRole('button', { name: 'Register' }).click()
  await page.getByText('Silent Sam').first().waitFor()
  const { data } = await call('GET', '/v1/customers?q=Silent')
  expect(data.map(({ consents }: { consents?: object }) => consents)).toEqual([undefined])
  expectCalm(opened)
})

test('one who was invited chooses another password, which ends the other browsers', {
  skip: !isFull,
}, async () => {
  const organization = await newOrganization()
  const { email, invitation } = await invite(organization.id, 'manager')
  const opened = await join(invitation, 'Max Manager', { expected: [401] })
  const other = await openConsole('/settings', { email, password: chosenPassword, expected: [401] })
  const { page } = opened
  await page.getByRole('link', { name: 'Settings' }).click()
  const change = async (current: string, next: string) => {
    await page.getByRole('textbox', { name: 'Current password' }).fill(current)
    await page.getByRole('textbox', { name: 'New password' }).fill(next)
    await page.getByRole('button', { name: 'Change password' }).click()
  }
  await change('not this one', 'quite another phrase')
  await page.getByRole('alert').getByText('_invalid_credentials').waitFor()
  await expectAccessibleInBothSchemes(page)
  expect(addressOf(page).path).toBe('/settings')
  await Promise.all([
    page.getByText('Password changed.').waitFor(),
    change(chosenPassword, 'quite another phrase'),
  ])
  await other.page.reload()
  await other.page.getByRole('heading', { name: 'Sign in' }).waitFor()
  const signIn = (password: string, status: number) =>
    callApi('POST', '/auth/session', { body: { email, password }, status })
  await signIn(chosenPassword, 401)
  await signIn('quite another phrase', 200)
  expectCalm(opened)
  expectCalm(other)
})
