/** Products, branches and users: three lists of one kind. */
import { expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import { callApi, expectCalm, startBrowser, unique } from './browser.ts'
import {
  addressOf,
  expectAccessibleInBothSchemes,
  fileFrom,
  openConsole,
  pageTitle,
  parseCsv,
  rowsOf,
  waitForRows,
} from './console.ts'

startBrowser()

test('adds and changes a product, and refuses the second one of the same id', async () => {
  const opened = await openConsole('/products', { expected: [400] })
  const { page } = opened
  await waitForRows(page)
  const opaqueId = `tea-${unique()}`
  const dialog = page.getByRole('dialog')
  const add = async () => {
    await page.getByRole('button', { name: 'Add product' }).click()
    await dialog.getByLabel('External ID').fill(opaqueId)
    await dialog.getByLabel('Name').fill(`Desk ${opaqueId}`)
    await dialog.getByLabel('Category').fill('desk')
    await dialog.getByLabel('Price').fill('2.5')
    await dialog.getByRole('button', { name: 'Add product' }).click()
  }
  await add()
  await dialog.waitFor({ state: 'detached' })
  await add()
  await dialog.getByRole('alert').getByText('opaque_id_already_exists').waitFor()
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })

  await page.getByLabel('Search', { exact: true }).fill(opaqueId)
  await expect.poll(() => rowsOf(page).count()).toBe(1)
  await page.reload()
  await page.getByRole('row', { name: /desk.*\$2\.50/ }).waitFor()
  expect(addressOf(page).search).toEqual({ q: opaqueId })
  expect(await rowsOf(page).count()).toBe(1)
  await page.getByRole('button', { name: `Desk ${opaqueId}` }).click()
  expect(await dialog.getByLabel('External ID').isDisabled()).toBe(true)
  await dialog.getByLabel('Price').fill('3')
  await dialog.getByLabel('Category').fill('')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name: '$3.00' }).waitFor()
  const { data } = await callApi('GET', `/v1/products?q=${opaqueId}`)
  expect(data).toHaveLength(1)
  expect(data[0]).toMatchObject({ opaqueId, name: `Desk ${opaqueId}`, price: 3 })
  expect(data[0].category).toBeUndefined()
  expectCalm(opened)
})

test('adds a branch and a user who works there', { skip: !isFull }, async () => {
  const opened = await openConsole('/branches')
  const { page } = opened
  const mark = unique()
  const dialog = page.getByRole('dialog')
  await waitForRows(page)
  await page.getByRole('button', { name: 'Add branch' }).click()
  await dialog.getByLabel('External ID').fill(`kiosk-${mark}`)
  await dialog.getByLabel('Name').fill(`Kiosk ${mark}`)
  await dialog.getByRole('button', { name: 'Add branch' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByLabel('Search', { exact: true }).fill(mark)
  await page.getByRole('button', { name: `Kiosk ${mark}` }).click()
  await dialog.getByLabel('Name').fill(`Kiosk ${mark} north`)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: `Kiosk ${mark} north` }).waitFor()

  const menu = page.getByRole('navigation', { name: 'Menu' })
  await menu.getByRole('link', { name: 'Staff' }).click()
  await pageTitle(page, 'Staff').waitFor()
  // Another list: the search of the one before does not go along.
  expect(addressOf(page).search).toEqual({})
  await waitForRows(page)
  await page.getByRole('button', { name: 'Add staff member' }).click()
  await dialog.getByLabel('External ID').fill(`staff-${mark}`)
  await dialog.getByLabel('Name').fill(`Kim ${mark}`)
  await dialog.getByRole('combobox', { name: 'Branch' }).fill(mark)
  await page.getByRole('option', { name: `Kiosk ${mark} north` }).click()
  await dialog.getByRole('button', { name: 'Add staff member' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByLabel('Search', { exact: true }).fill(mark)
  await page.getByRole('row', { name: new RegExp(`Kim ${mark}.*staff-${mark}.*kiosk-${mark}`) }).waitFor()
  const { data } = await callApi('GET', `/v1/users?q=${mark}`)
  expect(data[0]).toMatchObject({ opaqueId: `staff-${mark}`, branchOpaqueId: `kiosk-${mark}` })
  expectCalm(opened)
})

test('turns the pages of a long list and saves the whole of it as CSV', async () => {
  const mark = unique()
  const numbers = Array.from({ length: 120 }, (_, i) => String(i + 1).padStart(3, '0'))
  for (let i = 0; i < numbers.length; i += 20) {
    await Promise.all(
      numbers.slice(i, i + 20).map((number) =>
        callApi('POST', '/v1/products', {
          body: {
            opaqueId: `${mark}-${number}`,
            name: number === '007' ? `=${mark}, "seven"` : `${mark} ${number}`,
          },
        }),
      ),
    )
  }
  const opened = await openConsole(`/products?q=${mark}`)
  const { page } = opened
  await waitForRows(page)
  const idsShown = () =>
    rowsOf(page)
      .getByRole('cell')
      .filter({ hasText: `${mark}-` })
      .allTextContents()
  const first = await idsShown()
  expect(first).toHaveLength(25)
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByRole('button', { name: 'First page' }).waitFor()
  await waitForRows(page)
  const second = await idsShown()
  expect(second).toHaveLength(25)
  expect(second.filter((id) => first.includes(id))).toEqual([])
  expect(addressOf(page).search.q).toBe(mark)
  expect(addressOf(page).search.cursor).toBeDefined()
  await expectAccessibleInBothSchemes(page)
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect.poll(async () => (await idsShown()).some((id) => second.includes(id))).toBe(false)
  await page.getByRole('button', { name: 'Previous page' }).click()
  await expect.poll(idsShown).toEqual(second)
  // The second page has an address as well, and in this window it is still known what came before it.
  const address = page.url()
  await page.reload()
  await waitForRows(page)
  expect(await idsShown()).toEqual(second)
  await page.getByRole('button', { name: 'Previous page' }).waitFor()
  if (isFull) {
    // Who was sent the address knows only where it begins.
    const sent = await opened.context.newPage()
    await sent.goto(address)
    await waitForRows(sent)
    expect(await sent.getByRole('button', { name: 'First page' }).count()).toBe(1)
    expect(await sent.getByRole('button', { name: 'Previous page' }).count()).toBe(0)
    await sent.close()
  }
  await page.getByRole('button', { name: 'First page' }).click()
  await page.getByRole('button', { name: 'First page' }).waitFor({ state: 'detached' })
  await waitForRows(page)
  expect(await idsShown()).toEqual(first)

  const { name, text } = await fileFrom(page, () => page.getByRole('button', { name: 'Export CSV' }).click())
  expect(name).toBe('products.csv')
  const [head, ...rows] = parseCsv(text)
  const column = (label: string) => rows.map((row) => row[head!.indexOf(label)])
  // More than one page of what the service gives at once, each row once.
  expect(column('External ID').toSorted()).toEqual(numbers.map((number) => `${mark}-${number}`))
  // No spreadsheet runs it as a formula.
  expect(column('Name')).toContain(`'=${mark}, "seven"`)

  await page.getByLabel('Search', { exact: true }).fill(`${mark} 12`)
  await expect.poll(idsShown).toEqual([`${mark}-120`])
  expect(await page.getByRole('button', { name: 'Next page' }).count()).toBe(0)
  expectCalm(opened)
})
