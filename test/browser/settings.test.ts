/** How customers see a merchant, and one's own account. */
import { expect, test } from 'vitest'
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

startBrowser()

test('a new color and name are seen on the wallet page', async () => {
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
    page.getByRole('button', { name: 'Save' }).click(),
  ])
  await page.getByRole('banner').getByText(name).waitFor()
  await page.reload()
  await expect
    .poll(() => page.getByRole('combobox', { name: 'Time zone' }).inputValue())
    .toBe('America/Denver')
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe(name)
  expect(await days.inputValue()).toBe('7')

  const wallet = await openPage()
  await wallet.page.goto(cards[0].walletUrl)
  const title = wallet.page.getByText(name).first()
  await title.waitFor()
  const shown = await (await fetch(`${cards[0].walletUrl}/card`)).json()
  expect(shown).toMatchObject({ organization: { name, color: '#a61e4d', timezone: 'America/Denver' } })
  const painted = await wallet.page.evaluate(`[...document.querySelectorAll('*')]
    .some((element) => getComputedStyle(element).backgroundColor === 'rgb(166, 30, 77)')`)
  expect(painted).toBe(true)
  expectCalm(wallet)
  expectCalm(opened)
})

test('one who was invited chooses another password, which ends the other browsers', async () => {
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
