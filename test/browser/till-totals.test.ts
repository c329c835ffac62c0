import { beforeAll, expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import { callApi, expectAccessible, expectCalm, openPage, scan, startBrowser, unique } from './browser.ts'
import { booked, charge, openShop, openTill, receiptNumber, register, type Shop } from './till-shop.ts'

startBrowser()
let shop: Shop
beforeAll(async () => {
  shop = await openShop()
})

test('scan, coupon, points, pay: the till sends the bare basket, and charges and prints what is due', async () => {
  const guest = await register(shop, 'Tara Totals', 40, ['free-tea'])
  const opened = await openPage()
  const { page } = opened
  const sent: { path: string; body: Record<string, unknown> }[] = []
  await page.route(/\/v1\/transactions\/(?:validate|process)/, (route) => {
    const { pathname } = new URL(route.request().url())
    sent.push({ path: pathname.split('/').at(-1)!, body: route.request().postDataJSON() })
    return route.continue()
  })
  await openTill(page)
  await scan(page, guest.barcode)
  await page.getByRole('heading', { name: guest.name }).waitFor()
  const basket = page.getByRole('region', { name: 'Basket' })
  const totals = basket.locator('.till-foot dl')
  for (const name of [/^Assam tea/, /^Assam tea/, /^Warm scone/]) {
    await page.getByRole('button', { name }).click()
  }
  await expect.poll(() => totals.textContent()).toBe('Total due$8.75')

  await page.getByRole('button', { name: /^Free tea/, pressed: false }).click()
  await expect.poll(() => totals.textContent()).toBe('Subtotal$8.75Coupons−$3.30Total due$5.45')
  await page.getByRole('textbox', { name: 'Pay with Leaves' }).fill('20')
  await expect
    .poll(() => totals.textContent())
    .toBe('Subtotal$8.75Coupons−$3.30Paid with points−$2.00Total due$3.45')
  if (isFull) await expectAccessible(page)
  await charge(page, '$3.45')

  await page.getByRole('heading', { name: '$3.45 paid' }).waitFor()
  const paper = page.getByRole('article', { name: 'Receipt' })
  expect(await paper.locator('dl').nth(1).textContent()).toBe(
    'Subtotal$8.75Coupon: Free tea−$3.30Leaves −20−$2.00Paid$3.45',
  )
  if (isFull) await expectAccessible(page)
  const sale = await booked(await receiptNumber(page))
  expect(sale.totals).toEqual({ amount: 8.75, discounts: 0, coupons: 3.3, points: 2, due: 3.45 })
  expect(sale.warnings).toBeUndefined()

  // One request for each preview, and the sale is the body of the last one.
  const previews = sent.filter(({ path }) => path === 'validate')
  const { opaqueId, occurredAt, ...body } = sent.at(-1)!.body
  expect(sent.at(-1)!.path).toBe('process')
  expect({ opaqueId, body }).toEqual({ opaqueId: sale.opaqueId, body: previews.at(-1)!.body })
  expect(occurredAt).toBe(sale.occurredAt)
  expect(JSON.stringify(sent)).not.toContain('discount')
  expectCalm(opened)
})

test('a sale that waited in the browser with discounts of its own is sent as it is, and its warning is shown', {
  skip: !isFull,
}, async () => {
  const guest = await register(shop, 'Uma Updated', 0, ['free-tea'])
  const [coupon] = (await callApi('GET', `/v1/customers/${guest.id}`)).coupons
  const organization = await callApi('GET', '/v1/organization')
  const till = `T${unique()}`
  const number = `${till}-000007`
  const items = [
    {
      id: '1',
      product: 'till-tea',
      name: 'Assam tea',
      unitPrice: 3.3,
      quantity: 2,
      reward: [coupon.id],
      discountAmount: 3,
    },
  ]
  const body = { customer: guest.id, card: guest.card, opaqueId: number, items }
  const entry = { kind: 'sale', number, body, couponNames: { [coupon.id]: 'Free tea' } }
  const opened = await openPage()
  const { page } = opened
  await openTill(page)
  const kept = JSON.stringify({ name: till, sales: 7, returns: 0, unsettled: [entry] })
  await page.evaluate(`localStorage.setItem('lw-till-${organization.id}', ${JSON.stringify(kept)})`)
  await page.reload()
  await page.getByRole('heading', { name: '$3.60 paid' }).waitFor()
  const paper = page.getByRole('article', { name: 'Receipt' })
  expect(await paper.locator('dl').nth(1).textContent()).toBe('Subtotal$6.60Discounts−$3.00Paid$3.60')
  await page.getByRole('status').getByText('The discount is less than the coupons are worth.').waitFor()
  await expectAccessible(page)
  expect((await booked(number)).warnings).toMatchObject([{ code: 'coupon_discount_differs' }])
  expectCalm(opened)
})
