import { expect, test } from 'vitest'
import { demo, expectAccessible, expectCalm, openPage, signIn, startBrowser } from './browser.ts'

startBrowser()

test('signs in with email and password, and out again', async () => {
  const opened = await openPage()
  const { page } = opened
  await signIn(page)
  expect(new URL(page.url()).pathname).toMatch(/^\/console\/?$/)
  // What is still being read when the session ends would be refused.
  await page.waitForLoadState('networkidle')
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.goto(`${demo.consoleUrl}/customers`)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await expectAccessible(page)
  expectCalm(opened)
})

test('says what is wrong with a wrong password, and goes on to the page that was asked for', async () => {
  const opened = await openPage({ expected: [401] })
  const { page } = opened
  await page.goto(`${demo.consoleUrl}/settings`)
  await page.getByLabel('Email').fill(demo.consoleEmail)
  const password = page.getByRole('textbox', { name: 'Password' })
  await password.fill('not the password')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor()
  await expectAccessible(page)
  await password.fill(demo.consolePassword)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/console/settings')
  expectCalm(opened)
})
