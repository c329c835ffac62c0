import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import {
  callApi,
  demo,
  expectAccessible,
  expectCalm,
  openPage,
  openSignedIn,
  startBrowser,
  unique,
} from './browser.ts'
import { join, newOrganization } from './console.ts'

startBrowser()

/** The service's own answer, with the session of the page. */
async function ask(page: Page, path: string) {
  const answer = await page.request.get(demo.baseUrl + path)
  return answer.json()
}

const idOf = (page: Page) => /cmp_\w+/.exec(page.url())![0]
const field = (page: Page, place: string) => page.locator(`[id="field-${place}"]`)
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
const section = (page: Page, name: string) => page.getByRole('region', { name })

/** Signs in and takes the way that all campaigns take. */
async function beginFrom(
  page: Page,
  template: string,
  name: string,
  lookAtDialog?: typeof expectAccessible,
): Promise<string> {
  await openSignedIn(page, `${demo.consoleUrl}/campaigns/new`)
  await section(page, template).getByRole('button').click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill(name)
  await lookAtDialog?.(page)
  await button(page, 'Create draft').click()
  await page.waitForURL(/campaigns\/cmp_/)
  await page.getByRole('heading', { name, level: 1 }).waitFor()
  return idOf(page)
}

async function save(page: Page): Promise<void> {
  await button(page, 'Save').click()
  await section(page, 'Unsaved changes').waitFor({ state: 'detached' })
}

async function publish(page: Page): Promise<void> {
  await button(page, 'Publish').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

test('a template becomes a campaign that runs, without a word of JSON', async () => {
  const opened = await openPage()
  const { page } = opened
  const id = await beginFrom(page, 'Stamp card', 'Tea stamps', expectAccessible)
  // The key follows the name while nobody relies on it, and what refers to it goes along.
  await section(page, 'What customers earn').getByRole('button', { name: 'Stamps' }).click()
  await field(page, 'balances[0].name').fill('Leaves')
  await section(page, 'How they earn it').getByRole('button', { name: 'For every item' }).click()
  await field(page, 'rules[0].amount').fill('2')
  // The preview works on what is typed, before it is saved.
  await page.getByText('For every item (coffee)').first().waitFor()
  await expectAccessible(page)
  // Away without saving: asked first.
  await page.getByRole('link', { name: 'Campaigns' }).first().click()
  await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
  await button(page, 'Stay').click()
  await save(page)
  const draft = await ask(page, `/v1/campaigns/${id}`)
  expect(draft).toMatchObject({
    status: 'draft',
    balances: [{ key: 'leaves', name: 'Leaves' }],
    rules: [{ id: 'coffee', balance: 'leaves', amount: 2 }],
    thresholds: [{ balance: 'leaves', at: 10, consume: true }],
  })
  await publish(page)
  await page.getByText('Version 1', { exact: true }).waitFor()
  expect(await ask(page, `/v1/campaigns/${id}`)).toMatchObject({ status: 'published', version: 1 })
  expectCalm(opened)
})

test('a template fits a currency without decimals', { skip: !isFull }, async () => {
  const { invitation } = await newOrganization('JPY')
  const { page, ...opened } = await join(invitation, 'Yuki')
  await page.goto(`${demo.consoleUrl}/campaigns/new`)
  await section(page, 'Cashback').getByRole('button').click()
  await page.getByRole('dialog').getByText('Credit: 1 for every ¥20', { exact: true }).waitFor()
  await button(page, 'Create draft').click()
  await page.getByRole('heading', { name: 'Five percent back', level: 1 }).waitFor()
  await publish(page)
  await page.getByText('Version 1', { exact: true }).waitFor()
  expectCalm({ page, ...opened })
})

test('a rule is added from the kinds there are, with days and products, and moved', {
  skip: !isFull,
}, async () => {
  const opened = await openPage({ expected: [400] })
  const { page } = opened
  const id = await beginFrom(page, 'Points with a double day', 'Points')
  await button(page, 'Add rule').click()
  await page.getByRole('menuitem', { name: /^For every item/ }).click()
  // What is missing is told at its place.
  await button(page, 'Save').click()
  await page
    .getByRole('alert', { name: /^Not saved/ })
    .filter({ hasText: 'Amount' })
    .waitFor()
  expect(await field(page, 'rules[2].amount').getAttribute('aria-invalid')).toBe('true')
  await expectAccessible(page)
  await field(page, 'rules[2].amount').fill('3')
  const rule = page.getByRole('region', { name: /^For every item/ })
  await rule.getByRole('button', { name: 'Add option' }).click()
  await page.getByRole('menuitem', { name: /^When / }).click()
  const when = rule.getByRole('group', { name: 'When' })
  await when.getByRole('button', { name: 'Add option' }).click()
  await page.getByRole('menuitem', { name: /^Days/ }).click()
  await when.getByText('Friday').click()
  await when.getByText('Monday').click()
  await rule.getByRole('button', { name: 'Add option' }).last().click()
  await page.getByRole('menuitem', { name: /^Products/ }).click()
  await field(page, 'rules[2].products').fill('a-product-not-seen-yet')
  await page.getByRole('option', { name: /a-product-not-seen-yet/ }).click()
  await page.keyboard.press('Escape')
  await button(page, 'Move entry 3 up').click()
  await save(page)
  const { rules } = await ask(page, `/v1/campaigns/${id}`)
  expect(rules[1]).toEqual({
    id: 'for-every-item',
    kind: 'collect_per_item',
    balance: 'points',
    amount: 3,
    products: ['a-product-not-seen-yet'],
    when: { days: ['mon', 'fri'] },
  })
  expect(rules[2]).toMatchObject({ kind: 'multiply' })
  expectCalm(opened)
})

test('the preview shows what a basket would do and why, on the wall clock of the organization', {
  skip: !isFull,
}, async () => {
  const opened = await openPage()
  const { page } = opened
  await beginFrom(page, 'Points with a double day', 'Try me')
  const preview = section(page, 'Try it')
  await preview.getByLabel('Price').fill('20')
  await button(page, 'When, where, and who').click()
  // The fourth of March 2026 is a Wednesday, the fifth is none.
  await preview.getByLabel('Time').fill('2026-03-05T00:30')
  const notToday = preview.getByText("The rule doesn't run on this day of the week.")
  // Only then there is one of these: what is tried before that is a basket of now, which may be a Wednesday.
  await notToday.waitFor()
  const gained = preview.getByText('Points +20', { exact: true })
  await expect.poll(() => gained.count()).toBe(1)
  await preview.getByLabel('Time').fill('2026-03-04T23:30')
  await notToday.waitFor({ state: 'detached' })
  await expect.poll(() => gained.count()).toBe(2)
  await preview.getByLabel('Points', { exact: true }).fill('240')
  await preview.getByText('Coupon: $5 off').waitFor()
  await expectAccessible(page)
  expectCalm(opened)
})

test('the JSON says the same as the form, and one that cannot be read is neither saved nor lost silently', {
  skip: !isFull,
}, async () => {
  const opened = await openPage()
  const { page } = opened
  const id = await beginFrom(page, 'Blank campaign', 'By hand')
  await page.getByRole('tab', { name: 'JSON' }).click()
  const text = page.getByRole('textbox', { name: 'JSON' })
  await text.fill('{ "name": "By hand", "balances": [ ')
  await page.getByText('Invalid JSON').waitFor()
  expect(await button(page, 'Save').isDisabled()).toBe(true)
  await expectAccessible(page)
  await text.fill('{ "name": "By hand", "balances": [{ "key": "credit", "name": "Credit", "decimals": 2 }] }')
  await page.getByRole('tab', { name: 'Form' }).click()
  await section(page, 'What customers earn').getByRole('button', { name: 'Credit' }).waitFor()
  // Away without saving: asked first.
  await page.getByRole('link', { name: 'Campaigns' }).first().click()
  await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor()
  await expectAccessible(page)
  await button(page, 'Stay').click()
  await save(page)
  expect(await ask(page, `/v1/campaigns/${id}`)).toMatchObject({ balances: [{ key: 'credit', decimals: 2 }] })
  expectCalm(opened)
})

test('publishing tells what changes, and any two versions can be compared', { skip: !isFull }, async () => {
  const opened = await openPage()
  const { page } = opened
  const id = await beginFrom(page, 'Points with a double day', 'Versions')
  await publish(page)
  await section(page, 'How they earn it').getByRole('button', { name: 'Points for money' }).click()
  await field(page, 'rules[0].points').fill('7')
  await save(page)
  await page.getByText('Unpublished changes').waitFor()
  await button(page, 'Publish').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Points for money (base)').waitFor()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Publish' }).click()
  await page.getByText('Version 2', { exact: true }).waitFor()
  await page.goto(`${demo.consoleUrl}/campaigns/${id}/versions?from=2&to=1`)
  const change = page.getByRole('listitem').filter({ hasText: 'before:' })
  await expect
    .poll(() => change.textContent())
    .toMatch(/^Changed.*Points for money \(base\).*before: 7now: 1$/)
  // Side by side, what differs is told from what does not, in sentences.
  await expect.poll(() => page.getByText(/^Differs: /).count()).toBe(2)
  await page.getByText('Points for money (base) Points: 7 for every $1.00').waitFor()
  await expect.poll(() => page.getByText('For every 250 earned (Points): $5 off').count()).toBe(2)
  await page.getByRole('radiogroup', { name: 'View as' }).getByText('JSON').click()
  await page.getByText('"points": 7').waitFor()
  await page.getByText('"points": 1,').waitFor()
  await expectAccessible(page)
  expectCalm(opened)
})

test('what was added and what was removed is said, with its units and the names of products', {
  skip: !isFull,
}, async () => {
  const opened = await openPage()
  const { page } = opened
  const latte = { opaqueId: `latte-${unique()}`, name: 'Caffè latte' }
  await callApi('POST', '/v1/products', { body: latte })
  const { id } = await callApi('POST', '/v1/campaigns', {
    body: {
      name: 'Said in full',
      balances: [{ key: 'points', name: 'Points' }],
      rewards: [{ key: 'tenth', name: 'A tenth', kind: 'percent_off', percent: 12.5, maxAmount: 20 }],
      spend: { balance: 'points', worth: 0.0005, maxShare: 0.5 },
    },
  })
  await callApi('POST', `/v1/campaigns/${id}/publish`)
  await callApi('PATCH', `/v1/campaigns/${id}`, {
    body: {
      rewards: [{ key: 'coffee', name: 'A coffee', kind: 'free_product', products: [latte.opaqueId] }],
      thresholds: [{ balance: 'points', at: 1000, grant: 'coffee', consume: true }],
    },
  })
  await openSignedIn(page, `${demo.consoleUrl}/campaigns/${id}/versions`)
  const differences = page.getByRole('listitem')
  for (const text of [
    /^AddedRewards › A coffeeOne free: Caffè latte$/,
    /^RemovedRewards › A tenth12\.5% off · Maximum discount: \$20\.00$/,
    /^Added.*For every 1,000 earned \(Points\): A coffee · Used up by the coupon$/,
  ]) {
    await differences.filter({ hasText: text }).waitFor()
  }
  const worth = page.getByText('Points: each is worth $0.0005 · Maximum share of a purchase: 50%')
  await expect.poll(() => worth.count()).toBe(2)
  await expectAccessible(page)
  expectCalm(opened)
})

test('a campaign is paused, runs again and is archived, each time asked first', {
  skip: !isFull,
}, async () => {
  const opened = await openPage()
  const { page } = opened
  const id = await beginFrom(page, 'Cashback', 'Short life')
  await publish(page)
  const act = async (name: string, status: string) => {
    await button(page, 'More actions').click()
    await page.getByRole('menuitem', { name }).click()
    await expectAccessible(page)
    await page.getByRole('dialog').getByRole('button', { name }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect((await ask(page, `/v1/campaigns/${id}`)).status).toBe(status)
  }
  await act('Pause', 'paused')
  await button(page, 'Resume').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect((await ask(page, `/v1/campaigns/${id}`)).status).toBe('published')
  await act('Archive', 'archived')
  await expect.poll(() => field(page, 'name').isDisabled()).toBe(true)
  await page.goto(`${demo.consoleUrl}/campaigns?status=archived`)
  await page.getByRole('link', { name: 'Short life' }).waitFor()
  expect(await page.getByRole('link', { name: 'Coffee club' }).count()).toBe(0)
  await expectAccessible(page)
  const download = page.waitForEvent('download')
  await button(page, 'Export CSV').click()
  expect((await download).suggestedFilename()).toBe('campaigns.csv')
  expectCalm(opened)
})

test('everything is there on a phone, nothing sticks out', { skip: !isFull }, async () => {
  const opened = await openPage({ width: 390, height: 844 })
  const { page } = opened
  const url = `${demo.consoleUrl}/campaigns`
  await openSignedIn(page, url)
  for (const path of ['', '/new', `/${demo.campaignId}/versions`, `/${demo.campaignId}`]) {
    if (path !== '') await page.goto(url + path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    expect(overflow).toBeLessThanOrEqual(0)
  }
  await page.getByRole('tab', { name: 'Try it' }).click()
  await section(page, 'Try it').getByText('Up to date').waitFor()
  await expectAccessible(page)
  expectCalm(opened)
})

test('a draft is tried on the sales of the past, and the largest differences can be opened', {
  skip: !isFull,
}, async () => {
  const opened = await openPage()
  const { page } = opened
  await openSignedIn(page, `${demo.consoleUrl}/campaigns/${demo.campaignId}`)
  await page.getByRole('tab', { name: 'Past sales' }).click()
  await button(page, 'Calculate').click()
  const past = section(page, 'What would this have cost?')
  // The draft is what was published, so that nothing would have been different.
  await past.getByText(/^It would have cost/).waitFor()
  const answer = await past.getByText(/^It would have cost/).innerText()
  const [cost, before] = answer.match(/\d[\d,.]*\d/g)!
  expect(cost).toBe(before)
  await past.getByRole('tab', { name: 'By group' }).click()
  await past.getByRole('rowheader', { name: 'Returning' }).waitFor()
  await past.getByRole('tab', { name: 'Largest differences' }).click()
  await past.getByText('No sale would have been different.').waitFor()
  await expectAccessible(page)
  expectCalm(opened)
})
