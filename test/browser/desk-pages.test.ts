/** The pages at the desk: figures, directory, people, connections, logs and settings. */
import { expect, test } from 'vitest'
import { demo, expectAccessible, expectCalm, openPage, signIn, startBrowser } from './browser.ts'

startBrowser()

/** What a till does, so that there is something to count. */
async function sell(): Promise<void> {
  const post = async (path: string, headers: Record<string, string>, body?: object) => {
    const sent = { ...headers, ...(body && { 'content-type': 'application/json' }) }
    const reply = await fetch(demo.baseUrl + path, {
      method: 'POST',
      headers: sent,
      body: JSON.stringify(body),
    })
    expect(reply.ok).toBe(true)
    return (await reply.json()) as { accessToken: string; id: string; cards: { id: string }[] }
  }
  const keys = { 'x-api-key': demo.apiKey, 'x-api-secret': demo.apiSecret }
  const { accessToken } = await post('/auth/token', keys)
  const token = { authorization: `Bearer ${accessToken}` }
  const { id: customer, cards } = await post('/v1/customers/register', token, {
    campaignId: demo.campaignId,
    customer: { data: { email: 'guest@desk.example' } },
  })
  const items = [{ product: 'latte', quantity: 1, unitPrice: 3.5 }]
  await post('/v1/transactions/process', token, { customer, card: cards[0]!.id, items })
}

test('home leads from each figure to the list behind it, and shows its days as a table', async () => {
  await sell()
  const opened = await openPage()
  const { page } = opened
  await signIn(page)
  await page.getByText('7 days').click()
  await page.getByRole('link', { name: 'Registrations' }).waitFor()
  await page.locator('.recharts-surface').first().waitFor()
  await expectAccessible(page)
  const link = await page.getByRole('link', { name: 'Registrations' }).getAttribute('href')
  expect(link).toMatch(/\/console\/customers\?from=\d{4}-\d\d-\d\d&to=\d{4}-\d\d-\d\d$/)
  await page.getByRole('button', { name: 'Show as table' }).click()
  expect(await page.locator('tbody tr').count()).toBe(7)
  await expectAccessible(page)
  await page.locator('tbody a').first().click()
  await page.waitForURL(/\/console\/transactions\?from=(\d{4}-\d\d-\d\d)&to=\1$/)
  expectCalm(opened)
})

test('a product is added, changed, and refused the second time', async () => {
  const opened = await openPage({ expected: [400] })
  const { page } = opened
  await signIn(page)
  await page.getByRole('link', { name: 'Products' }).click()
  const dialog = page.getByRole('dialog')
  const add = async () => {
    await page.getByRole('button', { name: 'Add a product' }).click()
    await dialog.getByLabel('Own id').fill('desk-tea')
    await dialog.getByLabel('Name').fill('Desk tea')
    await dialog.getByLabel('Price').fill('2.5')
    await dialog.getByRole('button', { name: 'Add a product' }).click()
  }
  await add()
  await page.getByRole('cell', { name: '$2.50' }).waitFor()
  await add()
  await dialog.getByText('opaque_id_already_exists').waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Desk tea' }).click()
  expect(await dialog.getByLabel('Own id').isDisabled()).toBe(true)
  await dialog.getByLabel('Price').fill('3')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name: '$3.00' }).waitFor()
  expectCalm(opened)
})

test('who is invited joins with the link as a cashier, and can be blocked; the last owner cannot', async () => {
  const opened = await openPage({ expected: [400] })
  const { page } = opened
  await signIn(page)
  await page.getByRole('link', { name: 'People' }).click()
  await page.getByRole('button', { name: 'Invite' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('E-mail').fill('nora@desk.example')
  await dialog.getByLabel('Cashier').check()
  await dialog.getByRole('button', { name: 'Create the invitation' }).click()
  const link = await page.getByLabel('Link for nora@desk.example').inputValue()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Done' }).click()

  const joined = await openPage({ expected: [401] })
  await joined.page.goto(link)
  await joined.page.getByLabel('Your name').fill('Nora')
  await joined.page.getByRole('textbox', { name: 'New password' }).fill('a long enough one')
  await joined.page.keyboard.press('Enter')
  await joined.page.getByRole('link', { name: 'Open the till' }).waitFor()
  expect(await joined.page.getByRole('link', { name: 'Campaigns' }).count()).toBe(0)
  await expectAccessible(joined.page)
  await joined.page.getByRole('link', { name: 'Settings' }).click()
  await joined.page.getByRole('heading', { name: 'Your account' }).waitFor()
  expect(await joined.page.getByRole('heading', { name: 'Organization' }).count()).toBe(0)

  const block = async (email: string) => {
    await page.getByRole('button', { name: `Actions for ${email}` }).click()
    await page.getByRole('menuitem', { name: 'Block' }).click()
    await dialog.getByRole('button', { name: 'Block' }).click()
  }
  await block('nora@desk.example')
  await page.getByText('Blocked', { exact: true }).waitFor()
  await joined.page.reload()
  await joined.page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await block(demo.consoleEmail)
  await dialog.getByText('last_owner').waitFor()
  expectCalm(opened)
  expectCalm(joined)
})

test('a connection’s key and secret work as shown, and its refused call is explained in the log', async () => {
  const opened = await openPage()
  const { page } = opened
  await signIn(page)
  await page.getByRole('link', { name: 'API connections' }).click()
  await page.getByRole('button', { name: 'Create a connection' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Desk shop')
  await dialog.getByRole('button', { name: 'Create a connection' }).click()
  const headers = {
    'x-api-key': await page.getByLabel('API key').inputValue(),
    'x-api-secret': await page.getByLabel('API secret').inputValue(),
  }
  await expectAccessible(page)
  await page.getByRole('button', { name: 'I have copied them' }).click()
  const { accessToken } = (await (
    await fetch(`${demo.baseUrl}/auth/token`, { method: 'POST', headers })
  ).json()) as { accessToken: string }
  const authorization = `Bearer ${accessToken}`
  const refused = await fetch(`${demo.baseUrl}/v1/organization`, { headers: { authorization } })
  expect(refused.status).toBe(403)

  await page.getByRole('link', { name: 'Desk shop' }).click()
  await expect
    .poll(async () => {
      await page.reload()
      await page.getByRole('heading', { name: 'Request log' }).waitFor()
      return page.getByText('_forbidden').count()
    })
    .toBe(1)
  await expectAccessible(page)
  await page.getByRole('link', { name: '/v1/organization' }).click()
  await page.getByRole('link', { name: '_forbidden in the API reference' }).waitFor()
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  // As text: it runs in the page, which these tests have no types of.
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain(`'${demo.baseUrl}/v1/organization'`)
  await expectAccessible(page)

  await page.getByRole('link', { name: 'API connections' }).click()
  await page.getByRole('button', { name: 'Revoke Desk shop' }).click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('Revoked', { exact: true }).waitFor()
  expect((await fetch(`${demo.baseUrl}/auth/token`, { method: 'POST', headers })).status).toBe(401)
  await page.getByRole('link', { name: 'Audit log' }).click()
  await page.getByText('Revoked a connection').waitFor()
  await page.getByRole('button', { name: 'Show details: Created an API connection' }).click()
  await dialog.getByText('"Desk shop"').waitFor()
  await expectAccessible(page)
  expectCalm(opened)
})

test('settings are kept, and a wrong password ends nothing', async () => {
  const opened = await openPage({ expected: [401] })
  const { page } = opened
  await signIn(page, 'manager@demo.example')
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('combobox', { name: 'Time zone' }).fill('denver')
  await page.getByRole('option', { name: 'America/Denver' }).click()
  await page.getByRole('textbox', { name: 'Colour' }).fill('#1864ab')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved').waitFor()
  await page.reload()
  expect(await page.getByRole('combobox', { name: 'Time zone' }).inputValue()).toBe('America/Denver')
  expect(await page.getByRole('textbox', { name: 'Colour' }).inputValue()).toBe('#1864ab')
  await page.getByRole('combobox', { name: 'Time zone' }).fill('new york')
  await page.getByRole('option', { name: 'America/New York' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved').waitFor()
  await page.getByRole('textbox', { name: 'Current password' }).fill('not this one')
  await page.getByRole('textbox', { name: 'New password' }).fill('another long one')
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.getByText('_invalid_credentials').waitFor()
  await expectAccessible(page)
  await page.reload()
  await page.getByRole('heading', { name: 'Your account' }).waitFor()
  expectCalm(opened)
})
