/** Files come in and leave: columns, a dry run, the import, rejected rows, an export. */
import { expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import { expectCalm, startBrowser, unique } from './browser.ts'
import {
  expectAccessibleInBothSchemes,
  fileFrom,
  openConsole,
  pageTitle,
  parseCsv,
  waitForRows,
} from './console.ts'

startBrowser()

test('a file is understood, checked, imported and exported again, and nothing is stored twice', async () => {
  const opened = await openConsole('/customers')
  const { page } = opened
  await waitForRows(page)
  await page.getByRole('link', { name: 'Import or export' }).click()
  await pageTitle(page, 'Import and export').waitFor()
  const run = unique()
  const text = [
    'Customer ID,Name,Email,Points,Shoe size',
    `i-${run}-1,"Lovelace, Ada",ada-${run}@example.com,120,38`,
    `i-${run}-2,Grace,not an address,15,40`,
    `i-${run}-3,Ada again,ADA-${run}@example.com,5,38`,
  ].join('\r\n')
  const buffer = Buffer.from(text)
  const choose = () =>
    page.locator('input[type=file]').setInputFiles({ name: 'old.csv', mimeType: 'text/csv', buffer })
  await choose()
  await page.getByText('3 rows. Check what each column is:').waitFor()
  const field = (column: string) => page.getByRole('combobox', { name: `What “${column}” is` })
  await expect.poll(() => field('Customer ID').inputValue()).toBe('External ID')
  expect(await field('Email').inputValue()).toBe('Email')
  expect(await field('Points').inputValue()).toBe('Points')
  expect(await field('Shoe size').inputValue()).toBe('')
  // A guess is corrected with the keyboard, and kept for the next file of this kind.
  await field('Shoe size').focus()
  await page.keyboard.type('Metadata: Shoe')
  await page.getByRole('option', { name: 'Metadata: Shoe size' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect.poll(() => field('Shoe size').inputValue()).toBe('Metadata: Shoe size')
  const card = page.getByRole('combobox', { name: 'Card', exact: true })
  const chooseCard = async () => {
    if ((await card.inputValue()) !== '') return
    await card.click()
    await page.getByRole('option').first().click()
  }
  await chooseCard()
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByText('1 new · 0 updated · 0 unchanged · 2 rejected').waitFor()
  await page.getByText('Nothing was stored yet.').waitFor()
  const problems = page.getByRole('region', { name: 'Problems' })
  await problems.getByText("Email: isn't valid").waitFor()
  await problems.getByText('Email: the same as in row 2').waitFor()
  await expectAccessibleInBothSchemes(page)

  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('status').getByText('Imported').waitFor()
  const rejected = await fileFrom(page, () =>
    page.getByRole('button', { name: 'Download rejected rows' }).click(),
  )
  expect(rejected.name).toBe('old.rejected.csv')
  expect(parseCsv(rejected.text)[1]!.slice(0, 3)).toEqual([`i-${run}-2`, 'Grace', 'not an address'])

  if (isFull) {
    await page.reload()
    await choose()
    await expect.poll(() => field('Shoe size').inputValue()).toBe('Metadata: Shoe size')
    await chooseCard()
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('0 new · 0 updated · 1 unchanged · 2 rejected').waitFor()
  }
  const exported = await fileFrom(page, () => page.getByRole('button', { name: 'Export as NDJSON' }).click())
  const line = exported.text.split('\n').find((one) => one.includes(`i-${run}-1`))
  expect(JSON.parse(line!)).toMatchObject({ fullname: 'Lovelace, Ada', metaData: { 'Shoe size': '38' } })
  expectCalm(opened)
})
