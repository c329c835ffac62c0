/** Who may sign in, and what each role gets to see. */
import { expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import { expectCalm, type Opened, openPage, startBrowser, unique } from './browser.ts'
import {
  chosenPassword,
  expectAccessibleInBothSchemes,
  invite,
  join,
  newOrganization,
  openConsole,
  pageTitle,
} from './console.ts'

startBrowser()

const menuOf = ({ page }: Opened) =>
  page.getByRole('navigation', { name: 'Menu' }).getByRole('link').allTextContents()

test('an owner invites; a manager sees no people', async () => {
  const { invitation } = await newOrganization()
  const owner = await join(invitation, 'Olga Owner')
  const { page } = owner
  const dialog = page.getByRole('dialog')
  const mark = unique()
  await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'People' }).click()
  await pageTitle(page, 'People').waitFor()
  const inviteHere = async (who: string, role: string) => {
    await page.getByRole('button', { name: 'Invite' }).click()
    await dialog.getByLabel('Email').fill(who)
    await dialog.getByLabel(role).check()
    await dialog.getByRole('button', { name: 'Create invitation' }).click()
    const link = page.getByLabel(`Link for ${who}`)
    await link.waitFor()
    return link.inputValue()
  }
  const managerLink = await inviteHere(`manager-${mark}@bakery.example`, 'Manager')
  await expectAccessibleInBothSchemes(page)
  await page.getByRole('button', { name: 'Done' }).click()
  if (isFull) {
    await inviteHere(`cashier-${mark}@bakery.example`, 'Cashier')
    await page.getByRole('button', { name: 'Done' }).click()
  }
  // Shown once: neither is to be found again.
  expect(await page.getByText('/console/join#').count()).toBe(0)
  await page.getByRole('row', { name: new RegExp(`manager-${mark}.*Manager.*Invited.*Never`) }).waitFor()
  if (isFull) await expectAccessibleInBothSchemes(page)

  const manager = await join(managerLink, 'Max Manager')
  await manager.page.getByRole('heading', { name: 'Three steps to your first sale' }).waitFor()
  expect(await menuOf(manager)).toContain('Campaigns')
  expect(await menuOf(manager)).not.toContain('People')
  await manager.page.goto(new URL('/console/people', managerLink).href)
  await manager.page.getByRole('heading', { name: "You don't have access to this page" }).waitFor()
  if (isFull) await expectAccessibleInBothSchemes(manager.page)
  await page.reload()
  await page.getByRole('row', { name: /Max Manager.*Manager.*Active/ }).waitFor()
  if (isFull) {
    await page.getByRole('row', { name: new RegExp(`cashier-${mark}.*Cashier.*Invited`) }).waitFor()
  }
  for (const one of [owner, manager]) expectCalm(one)
})

test('a cashier sees only the till, and the last owner stays one', { skip: !isFull }, async () => {
  const { invitation, id, email } = await newOrganization()
  const owner = await join(invitation, 'Olga Owner', { expected: [400] })
  const { invitation: cashierLink } = await invite(id, 'cashier')
  const cashier = await join(cashierLink, 'Cleo Cashier')
  await pageTitle(cashier.page, 'Welcome, Cleo Cashier').waitFor()
  expect(await menuOf(cashier)).toEqual(['Home', 'Settings', 'Till', 'API reference'])
  expect(await cashier.page.getByRole('button', { name: 'Search or jump to…' }).count()).toBe(0)
  await expectAccessibleInBothSchemes(cashier.page)
  await cashier.page.goto(new URL('/console/customers', cashierLink).href)
  await cashier.page.getByRole('heading', { name: "You don't have access to this page" }).waitFor()
  await cashier.page.getByRole('link', { name: 'Settings' }).click()
  await cashier.page.getByRole('heading', { name: 'Your account' }).waitFor()
  expect(await cashier.page.getByRole('heading', { name: 'Organization' }).count()).toBe(0)
  await cashier.page.getByRole('link', { name: 'Till' }).click()
  await cashier.page.waitForURL('**/till')
  await cashier.page.getByRole('heading', { level: 1 }).first().waitFor()

  const { page } = owner
  const dialog = page.getByRole('dialog')
  await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'People' }).click()
  await page.getByRole('row', { name: /Cleo Cashier.*Cashier.*Active/ }).waitFor()
  await page.getByRole('button', { name: `Actions for ${email}` }).click()
  await page.getByRole('menuitem', { name: 'Edit name or role' }).click()
  await dialog.getByLabel('Manager').check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').getByText('last_owner').waitFor()
  await expectAccessibleInBothSchemes(page)
  for (const one of [owner, cashier]) expectCalm(one)
})

test('an invitation works once, and sessions in other browsers end when they are ended', {
  skip: !isFull,
}, async () => {
  const organization = await newOrganization()
  const { email, invitation } = organization
  const invited = await invite(organization.id, 'cashier')
  const first = await join(invitation, 'Olga Owner')
  const second = await openConsole('/people', { email, password: chosenPassword, expected: [401] })
  const cashier = await join(invited.invitation, 'Cleo Cashier', { expected: [401] })
  const { page } = second
  await page.getByRole('button', { name: `Actions for ${invited.email}` }).click()
  await page.getByRole('menuitem', { name: 'Block' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Block' }).click()
  await page.getByRole('row', { name: /Cleo Cashier.*Blocked/ }).waitFor()
  await cashier.page.reload()
  await cashier.page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await cashier.page.getByLabel('Email').fill(invited.email)
  await cashier.page.getByRole('textbox', { name: 'Password' }).fill(chosenPassword)
  await cashier.page.keyboard.press('Enter')
  await cashier.page.getByRole('alert').waitFor()

  await first.page.getByRole('button', { name: 'Account' }).click()
  await first.page.getByRole('menuitem', { name: 'Sign out everywhere' }).click()
  await first.page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'Products' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  // In again, and to the page that was asked for.
  await page.getByLabel('Email').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(chosenPassword)
  await page.keyboard.press('Enter')
  await pageTitle(page, 'Products').waitFor()

  const late = await openPage({ expected: [400] })
  await late.page.goto(invitation)
  await pageTitle(late.page, 'Welcome').waitFor()
  await expectAccessibleInBothSchemes(late.page)
  await late.page.getByRole('textbox', { name: 'New password' }).fill('somebody else has it')
  await late.page.getByRole('button', { name: 'Get started' }).click()
  await late.page.getByRole('alert').getByText('invalid_invitation').waitFor()
  for (const one of [first, second, cashier, late]) expectCalm(one)
})

test('blocking a person shows the connections whose secrets they know, and revokes them if asked to', {
  skip: !isFull,
}, async () => {
  const { id, invitation } = await newOrganization()
  const invited = await invite(id, 'manager')
  const manager = await join(invited.invitation, 'Max Manager', { expected: [401] })
  await manager.page.goto(new URL('/console/connections', invitation).href)
  await manager.page.getByRole('button', { name: 'Create connection' }).first().click()
  const form = manager.page.getByRole('dialog')
  await form.getByLabel('Name').fill('Web shop')
  await form.getByRole('button', { name: 'Create connection' }).click()
  await manager.page.getByLabel('API secret').waitFor()

  const owner = await join(invitation, 'Olga Owner')
  const { page } = owner
  await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name: 'People' }).click()
  await page.getByRole('button', { name: `Actions for ${invited.email}` }).click()
  await page.getByRole('menuitem', { name: 'Block' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('This person knows the secret of a connection').waitFor()
  await dialog.getByRole('listitem').getByText('Web shop').waitFor()
  await dialog.getByLabel('Revoke this connection as well').check()
  await expectAccessibleInBothSchemes(page)
  await dialog.getByRole('button', { name: 'Block' }).click()
  await page.getByRole('row', { name: /Max Manager.*Blocked/ }).waitFor()
  await page.goto(new URL('/console/connections', invitation).href)
  await page.getByRole('row', { name: /Web shop.*Revoked/ }).waitFor()
  for (const one of [owner, manager]) expectCalm(one)
})
