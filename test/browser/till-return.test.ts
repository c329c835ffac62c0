import { beforeAll, expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import { callApi, expectAccessible, expectCalm, openPage, startBrowser, unique } from './browser.ts'
import { balancesOf, booked, type Guest, openShop, openTill, register, type Shop } from './till-shop.ts'

startBrowser()
let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

async function sell(guest: Guest, body: Record<string, unknown>): Promise<string> {
  const opaqueId = `R-${unique()}`
  await callApi('POST', '/v1/transactions/process', {
    body: { customer: guest.id, card: guest.card, opaqueId, ...body },
  })
  return opaqueId
}

async function openReturn(receipt: string) {
  const opened = await openPage()
  const { page } = opened
  await openTill(page)
  await page.keyboard.press('F8')
  await page.getByLabel('Receipt number').fill(receipt)
  await page.keyboard.press('Enter')
  return { opened, page, preview: page.getByRole('region', { name: 'What this return does' }) }
}

test('shows what a return refunds, takes and restores while it is put together, and does just that', async () => {
  const guest = await register(shop, 'Rita Return', 100)
  const items = [{ id: '1', product: 'till-tea', name: 'Assam tea', unitPrice: 3.3, quantity: 5 }]
  const receipt = await sell(guest, { items, pointsToSpend: 50 })
  const before = await balancesOf(guest.id)
  const { opened, page, preview } = await openReturn(receipt)
  const submit = page.getByRole('button', { name: 'Return items' })
  await page.getByText('5 left to return').waitFor()
  expect(await submit.isEnabled()).toBe(false)

  // Five teas cost 16.50, of which points paid 5.00; their fifth cup became a coupon.
  await page.getByRole('button', { name: 'Add one Assam tea' }).click()
  await expect
    .poll(() => preview.innerText())
    .toBe(
      'Refund\n$2.30\nPoints refunded: 10\nNet change: Leaves +6\nNet change: Cups +4\nCoupon revoked: Free tea',
    )
  await page.getByRole('button', { name: 'Add one Assam tea' }).click()
  await expect.poll(() => preview.innerText()).toContain('$4.60')
  await page.getByRole('button', { name: 'Remove one Assam tea' }).click()
  await expect.poll(() => preview.innerText()).toContain('$2.30')
  await expectAccessible(page)
  // Nothing was written so far.
  expect(await balancesOf(guest.id)).toEqual(before)
  expect((await booked(receipt)).returns).toEqual([])

  await submit.click()
  await page.getByRole('heading', { name: 'Refund $2.30' }).waitFor()
  await page.getByText('Coupon revoked: Free tea').waitFor()
  await expectAccessible(page)
  expect((await booked(receipt)).returns).toMatchObject([{ refundAmount: 2.3, pointsRestored: 10 }])
  expectCalm(opened)
})

test('takes back a part of a sale without items by its amount, and then the rest', async () => {
  const guest = await register(shop, 'Sam Amount')
  const receipt = await sell(guest, { amount: 20 })
  const { opened, page, preview } = await openReturn(receipt)
  const field = page.getByLabel('Amount to return (USD)')
  await page.getByText('$20.00 is left.').waitFor()
  await expect.poll(() => preview.innerText()).toContain('$20.00')
  await field.fill('7.5')
  await expect.poll(() => preview.innerText()).toBe('Refund\n$7.50\nTaken back: Leaves −16')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Return amount' }).click()
  await page.getByRole('heading', { name: 'Refund $7.50' }).waitFor()

  await page.keyboard.press('Escape')
  await page.keyboard.press('F8')
  await page.getByLabel('Receipt number').fill(receipt)
  await page.keyboard.press('Enter')
  await page.getByText('$12.50 is left.').waitFor()
  await page.getByRole('button', { name: 'Return amount' }).click()
  await page.getByRole('heading', { name: 'Refund $12.50' }).waitFor()
  expect(await balancesOf(guest.id)).toMatchObject({ leaves: 0 })
  expect((await booked(receipt)).status).toBe(3)
  expectCalm(opened)
})

test('says what went to what was still owed', { skip: !isFull }, async () => {
  const guest = await register(shop, 'Theo Owed')
  // The first return cannot take back what was spent on the second sale, whose return then pays for it.
  const first = await sell(guest, { amount: 20 })
  const second = await sell(guest, { amount: 6, pointsToSpend: 30 })
  const { data } = await callApi('GET', `/v1/transactions?opaqueId=${first}`)
  await callApi('POST', `/v1/transactions/${data[0].id}/return`, { body: { opaqueId: `${first}-R` } })
  const { opened, page, preview } = await openReturn(second)
  await expect.poll(() => preview.innerText()).toContain('went to what was still owed.')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Return amount' }).click()
  await page.getByRole('heading', { name: 'Refund $3.00' }).waitFor()
  await page.getByText('went to what was still owed.').waitFor()
  expectCalm(opened)
})
