/** API connections, the request log and the audit log, as somebody who connects a till uses them. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import { callApi, demo, expectCalm, newToken, startBrowser, unique } from './browser.ts'
import { addressOf, expectAccessibleInBothSchemes, openConsole, pageTitle, waitForRows } from './console.ts'

startBrowser()

const tokenStatus = async (apiKey: string, apiSecret: string) => {
  const headers = { 'x-api-key': apiKey, 'x-api-secret': apiSecret }
  return (await fetch(`${demo.baseUrl}/auth/token`, { method: 'POST', headers })).status
}

test('makes a connection whose key and secret work as shown, gives it a new secret, and ends it', async () => {
  const opened = await openConsole('/connections')
  const { page } = opened
  const name = `Web shop ${unique()}`
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Create connection' }).click()
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: 'Create connection' }).click()
  const apiKey = await page.getByLabel('API key').inputValue()
  const firstSecret = await page.getByLabel('API secret').inputValue()
  await expectAccessibleInBothSchemes(page)
  // A slip of the hand does not take away what is shown only once.
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: "I've copied them" }).click()
  await dialog.waitFor({ state: 'detached' })
  await newToken({ apiKey, apiSecret: firstSecret })
  const row = page.getByRole('row').filter({ hasText: name })
  await row.getByText('Active').waitFor()
  await page.reload()
  await row.waitFor()
  expect(await page.getByText(firstSecret).count()).toBe(0)

  await page.getByRole('button', { name: `Rotate secret for ${name}` }).click()
  await dialog.getByRole('combobox', { name: 'Old secret expires' }).click()
  await page.getByRole('option', { name: 'Now', exact: true }).click()
  await dialog.getByRole('button', { name: 'Rotate secret' }).click()
  const secondSecret = await page.getByLabel('API secret').inputValue()
  expect(await page.getByLabel('API key').count()).toBe(0)
  await page.getByRole('button', { name: "I've copied it" }).click()
  expect(await tokenStatus(apiKey, firstSecret)).toBe(401)
  const token = await newToken({ apiKey, apiSecret: secondSecret })

  await page.getByRole('button', { name: `Revoke ${name}` }).click()
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await row.getByText('Revoked').waitFor()
  expect(await tokenStatus(apiKey, secondSecret)).toBe(401)
  await callApi('GET', '/v1/till/branches', { token, status: 401 })
  expectCalm(opened)
})

test('explains a refused call in the log, and tells who changed what', { skip: !isFull }, async () => {
  const opened = await openConsole('/connections')
  const { page } = opened
  const name = `Till ${unique()}`
  const { apiKey, apiSecret } = await callApi('POST', '/v1/connections', { body: { name } })
  const token = await newToken({ apiKey, apiSecret })
  const path = `/v1/customers/cus_${randomUUID().replaceAll('-', '')}`
  await callApi('GET', path, { token, status: 404 })
  await callApi('GET', '/v1/till/branches?limit=3', { token })
  await callApi('GET', '/v1/organization', { token, status: 403 })

  await page.reload()
  await page.getByRole('link', { name }).click()
  await pageTitle(page, 'Request log').waitFor()
  // Calls are written down in groups, about once a second.
  await page.getByLabel('Auto-refresh').check()
  await page.getByRole('link', { name: '/v1/organization' }).waitFor()
  await page.getByRole('combobox', { name: 'Status' }).click()
  await page.getByRole('option', { name: 'Client error (4xx)' }).click()
  await page.getByRole('link', { name: '/v1/till/branches' }).waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /\/v1\/organization.*403.*_forbidden/ }).waitFor()
  await waitForRows(page)
  await expectAccessibleInBothSchemes(page)
  await page.getByLabel('Search', { exact: true }).fill('customer_not_found')
  await page.getByRole('link', { name: '/v1/organization' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: path }).click()

  await pageTitle(page, `GET ${path}`).waitFor()
  await page.getByRole('alert').getByText('The organization has no such customer.').waitFor()
  await page.getByRole('link', { name: 'customer_not_found in the API reference' }).waitFor()
  await page.getByRole('link', { name, exact: true }).waitFor()
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  await expect
    .poll(() => page.evaluate('navigator.clipboard.readText()'))
    .toBe(`curl '${demo.baseUrl}${path}' \\\n  -H "authorization: Bearer $TOKEN"`)
  await expectAccessibleInBothSchemes(page)

  // Somebody at the desk, then a connection.
  await page.getByRole('link', { name: 'API connections' }).click()
  await page.getByRole('button', { name: `Revoke ${name}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('row').filter({ hasText: name }).getByText('Revoked').waitFor()
  await page.getByRole('link', { name: 'Audit log' }).click()
  await pageTitle(page, 'Audit log').waitFor()
  await page.getByLabel('Search', { exact: true }).fill(name)
  const session = await page.request.get(`${demo.baseUrl}/auth/session`).then((reply) => reply.json())
  const me = session.person.name ?? session.person.email
  const rowOf = (action: string) =>
    page.getByRole('row').filter({ hasText: name }).filter({ hasText: action })
  await rowOf('Revoked a connection').getByText(me).waitFor()
  const created = rowOf('Created an API connection')
  expect(await created.textContent()).not.toContain(me)
  await expect.poll(() => addressOf(page).search.q).toBe(name)
  await waitForRows(page)
  await expectAccessibleInBothSchemes(page)
  await created.getByRole('button', { name: 'Show details: Created an API connection' }).click()
  const details = page.getByRole('dialog')
  await details.getByText(`"${name}"`).waitFor()
  expect(await details.textContent()).not.toContain(apiSecret)
  await expectAccessibleInBothSchemes(page)
  expectCalm(opened)
})
