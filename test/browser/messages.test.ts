/** Messages to customers, as a merchant sets them up, words them and sees what became of them. */
import type { Page } from 'playwright-core'
import { Webhook as Verifier } from 'standardwebhooks'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import { type MailServer, refusal, startMailServer, textOf } from '../support/mail-server.ts'
import { type Received, startReceiver } from '../support/receiver.ts'
import {
  callApi,
  demo,
  expectAccessible,
  expectCalm,
  newCustomer,
  openPage,
  startBrowser,
  unique,
} from './browser.ts'
import { addressOf, openConsole, pageTitle } from './console.ts'
import { desk, look } from './pictures.ts'

startBrowser()

let mail: MailServer

beforeEach(async () => {
  mail = await startMailServer()
})
afterEach(async () => {
  const { data } = await callApi('GET', '/v1/senders')
  await Promise.all(
    data.map(({ channel }: { channel: string }) => callApi('DELETE', `/v1/senders/${channel}`)),
  )
  await callApi('PATCH', '/v1/message-kinds/card_opened', { body: { channels: [] } })
  await callApi('DELETE', '/v1/message-kinds/card_opened/texts/email/en')
  await mail.close()
})

const setSender = () =>
  callApi('PUT', '/v1/senders/email', {
    body: { host: '127.0.0.1', port: mail.port, security: 'none', from: 'Demo Café <hello@example.com>' },
  })

async function lookAt(page: Page, name: string): Promise<void> {
  await look(page, `console-${name}`)
  await page.setViewportSize(desk)
  await page.emulateMedia({ colorScheme: 'light' })
}

const outcome = (page: Page) => page.getByRole('main').getByRole('status')

async function sendTest(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByRole('dialog').getByLabel('Email address').fill('owner@example.com')
  await page.keyboard.press('Enter')
}

test('sets up a mail server, and sees what comes of a test', async () => {
  const opened = await openConsole('/messages', { expected: [400] })
  const { page } = opened
  const dialog = page.getByRole('dialog')
  await page.getByText('Nothing can be sent yet').waitFor()
  expect(await page.getByRole('switch', { name: 'When a reward was earned' }).isDisabled()).toBe(true)
  await page.getByRole('link', { name: 'Set up a sender' }).click()
  await page.getByRole('button', { name: 'Set up mail server' }).click()
  // The sender has the focus, as soon as the dialog is there.
  await dialog.getByRole('textbox', { name: 'Sender' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('nobody')
  await dialog.getByRole('textbox', { name: 'Mail server' }).fill('127.0.0.1')
  await dialog.getByRole('combobox', { name: 'Encryption' }).click()
  await page.getByRole('option', { name: 'None' }).click()
  expect(await dialog.getByRole('textbox', { name: 'Port' }).inputValue()).toBe('25')
  await dialog.getByRole('textbox', { name: 'Port' }).fill(String(mail.port))
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').getByText('from: must be an email address').waitFor()
  if (isFull) await expectAccessible(page)
  await dialog.getByRole('textbox', { name: 'Sender' }).fill('Demo Café <hello@example.com>')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText(`127.0.0.1:${mail.port}`).waitFor()

  await sendTest(page)
  await outcome(page).getByText('The test was sent').waitFor()
  expect(mail.mails.map(({ to }) => to)).toEqual([['owner@example.com']])
  await lookAt(page, 'message-senders')
  expectCalm(opened)
})

test('says why a test was not sent, and where nothing at all can be', { skip: !isFull }, async () => {
  await setSender()
  const opened = await openConsole('/messages?tab=senders')
  const { page } = opened
  mail.onMail = () => {
    throw refusal(550, 'No such user')
  }
  await sendTest(page)
  await outcome(page).getByText("The test wasn't sent").waitFor()
  await outcome(page).getByText('550 No such user').waitFor()
  await expectAccessible(page)

  // With a server that is away.
  await callApi('PUT', '/v1/senders/email', {
    body: { host: '127.0.0.1', port: 1, security: 'none', from: 'hello@example.com' },
  })
  await sendTest(page)
  const alert = page.getByRole('alert').filter({ hasText: 'No emails can be sent' })
  await alert.getByText('127.0.0.1:1').waitFor()
  await page.getByText('Failing').waitFor()
  await page.getByRole('tab', { name: 'Automatic messages' }).click()
  await alert.getByRole('link', { name: 'Go to the senders' }).waitFor()
  await expectAccessible(page)
  expectCalm(opened)
})

test('sets up an SMS provider with a secret that is shown once, and sees what comes of a test', {
  skip: !isFull,
}, async () => {
  const receiver = await startReceiver()
  const opened = await openConsole('/messages?tab=senders')
  const { page } = opened
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Set up SMS provider' }).click()
  const guide = dialog.getByRole('link', { name: 'How your software takes an SMS' })
  const { href } = new URL((await guide.getAttribute('href'))!, page.url())
  expect((await page.request.get(href)).ok()).toBe(true)
  await dialog.getByRole('textbox', { name: 'Address' }).fill(receiver.url)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save' }).click()
  const readSecret = async () => {
    const secret = await dialog.getByRole('textbox', { name: 'Secret' }).inputValue()
    await dialog.getByRole('button', { name: "I've copied it" }).click()
    return secret
  }
  await dialog.getByText("It isn't shown again.").waitFor()
  const first = await readSecret()
  await page.getByText(receiver.url).waitFor()

  const test = async () => {
    await page.getByRole('button', { name: 'Send a test' }).click()
    await dialog.getByLabel('Phone number').fill('+12025550123')
    await page.keyboard.press('Enter')
  }
  await test()
  await outcome(page).getByText('The test was sent').waitFor()
  const isFrom = (secret: string, { headers, body }: Received) => {
    try {
      return new Verifier(secret).verify(body, headers as Record<string, string>) !== undefined
    } catch {
      return false
    }
  }
  expect(isFrom(first, receiver.received[0]!)).toBe(true)
  expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({
    type: 'sms.send',
    data: { to: '+12025550123' },
  })
  receiver.answer = (response) => response.writeHead(422).end('no such number')
  await test()
  await outcome(page).getByText("The test wasn't sent").waitFor()
  await outcome(page).getByText('The mail server or the provider refused the message.').waitFor()
  await lookAt(page, 'message-sms')

  receiver.answer = (response) => response.writeHead(204).end()
  await page.getByRole('button', { name: 'New secret' }).click()
  await dialog.getByRole('button', { name: 'New secret' }).click()
  const second = await readSecret()
  await test()
  await outcome(page).getByText('The test was sent').waitFor()
  const last = receiver.received.at(-1)!
  expect([isFrom(first, last), isFrom(second, last)]).toEqual([false, true])
  await receiver.close()
  expectCalm(opened)
})

test('a message that came back is marked, and so is the address', { skip: !isFull }, async () => {
  await setSender()
  const { id, cards, data } = await newCustomer()
  const { id: message } = await callApi('POST', '/v1/messages', {
    body: { card: cards[0].id, channel: 'email' },
  })
  const statusOf = async () => (await callApi('GET', `/v1/messages/${message}`)).status
  await expect.poll(statusOf).toBe(3)
  await callApi('POST', `/v1/messages/${message}/bounced`)
  const opened = await openConsole(`/customers/${id}?tab=messages`)
  const { page } = opened
  await page.getByRole('row', { name: /Card link.*Email.*Came back.*It came back/ }).waitFor()
  const profile = page.getByRole('main')
  await profile.getByText(data.email).first().waitFor()
  await profile.getByText('Messages come back').waitFor()
  await expectAccessible(page)
  await lookAt(page, 'customer-bounced')
  expectCalm(opened)
})

test('switches a message on in own words, and finds it in the log', async () => {
  await setSender()
  // axe asks the frame of the preview what it has inside; no script runs there that could answer. Other journeys erase
  // customers who got a message, and the log asks for the name of each.
  const expected = ["Failed to execute 'postMessage'", 'status of 404']
  const opened = await openConsole('/messages', { expected })
  const { page } = opened
  const name = 'When a customer registers'
  // It follows a moment after the click, which `check` would not wait for.
  await page.getByRole('switch', { name }).click()
  await page.getByRole('switch', { name, checked: true }).waitFor()
  await page.getByRole('combobox', { name: `Send by: ${name}` }).waitFor()
  if (isFull) await lookAt(page, 'messages')
  await page.getByRole('link', { name: `Edit text: ${name}` }).click()
  await pageTitle(page, name).waitFor()
  const subject = `Good to see you ${unique()}`
  await page.getByLabel('Subject').fill(`${subject} in `)
  await page.getByRole('button', { name: 'Campaign', exact: true }).click()
  // The cursor stands behind it.
  await page.keyboard.type('!')
  const region = page.getByRole('region', { name: 'Preview' })
  await region.getByText(`${subject} in Coffee club!`).waitFor()
  await region.locator('iframe').contentFrame().getByText('Hello Ada,').waitFor()
  await page.getByRole('textbox', { name: 'Message' }).fill('Hello {firstname}')
  await page.getByText("{firstname} can't be used here.").waitFor()
  await page.getByRole('textbox', { name: 'Message' }).fill('{greeting} this is for you: ')
  await page.getByText('{link} must be in the text.').waitFor()
  expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Link', exact: true }).click()
  await page.getByText('SMS', { exact: true }).click()
  await page
    .getByRole('dialog', { name: 'Leave without saving?' })
    .getByRole('button', { name: 'Stay' })
    .click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Your words').waitFor()
  await lookAt(page, 'message-text')

  const { id, data } = await newCustomer()
  await expect.poll(() => mail.mails.length).toBe(1)
  expect(mail.mails[0]!.to).toEqual([data.email])
  expect(mail.mails[0]!.headers.get('subject')).toBe(`${subject} in Coffee club!`)
  expect(textOf(mail.mails[0]!)).toContain('this is for you: http')
  // The mail server has it a moment before the service says so.
  const statusOf = async () => (await callApi('GET', `/v1/messages?customer=${id}`)).data[0].status
  await expect.poll(statusOf).toBe(3)
  await page.getByRole('link', { name: 'Messages' }).first().click()
  await page.getByRole('link', { name: `Show log: ${name}` }).click()
  expect(addressOf(page).search).toEqual({ tab: 'log', kind: 'card_opened' })
  const row = page.getByRole('row', { name: new RegExp(`Welcome.*${data.fullname}.*Email.*Sent`) })
  await row.waitFor()
  if (isFull) await lookAt(page, 'message-log')
  await row.getByRole('link', { name: 'Welcome' }).click()
  await page.getByRole('heading', { name: 'Attempt 1' }).waitFor()
  expect(await page.getByRole('link', { name: data.fullname }).getAttribute('href')).toContain(id)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Messages' }).last().click()
  expect(addressOf(page).search).toEqual({ tab: 'log' })
  expectCalm(opened)
})

test('goes back to our words', { skip: !isFull }, async () => {
  await setSender()
  const name = 'When a customer registers'
  await callApi('PUT', '/v1/message-kinds/card_opened/texts/email/en', {
    body: { subject: 'Hello', body: 'Your card: {link}' },
  })
  const opened = await openConsole('/messages')
  const { page } = opened
  await page.getByRole('link', { name: `Edit text: ${name}` }).click()
  await page.getByText('Your words').waitFor()
  await page.getByRole('button', { name: 'Back to our words' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Back to our words' }).click()
  await page.getByText('Our words', { exact: true }).waitFor()
  expect(await page.getByLabel('Subject').inputValue()).toBe('Welcome to {campaign}')
  expectCalm(opened)
})

test('sends the link to a card, and asks before it sends one again that may have arrived', {
  skip: !isFull,
}, async () => {
  await setSender()
  const { id, data } = await newCustomer()
  const opened = await openConsole(`/customers/${id}?tab=messages`)
  const { page } = opened
  const dialog = page.getByRole('dialog')
  // The server has everything, and dies before it says so.
  mail.onMail = () => {
    mail.disconnect()
    return new Promise(() => {})
  }
  await page.getByText('No messages yet').waitFor()
  await page.getByRole('button', { name: 'Send link' }).click()
  await dialog.getByRole('radio', { name: data.email }).waitFor()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Send' }).click()
  await page.getByText("It's not clear whether the card link arrived.").waitFor()
  await page.getByRole('row', { name: /Card link.*Email.*Unclear/ }).waitFor()
  mail.onMail = () => {}
  await page.getByRole('button', { name: 'Send again: Card link' }).click()
  await dialog.getByText('The customer may then get it twice.').waitFor()
  expect(mail.mails).toHaveLength(0)
  await dialog.getByRole('button', { name: 'Send again' }).click()
  await page.getByRole('row', { name: /Card link.*Email.*Sent/ }).waitFor()
  expect(mail.mails.map(({ to }) => to)).toEqual([[data.email]])
  expectCalm(opened)
})

/** Somebody who agreed, and earns a reward with each purchase. */
async function newEarner() {
  const { id, cards, data } = await newCustomer()
  await callApi('PATCH', `/v1/customers/${id}`, { body: { consents: { marketing: true } } })
  const items = [{ product: 'latte', quantity: 10, unitPrice: 3.5 }]
  const earn = () =>
    callApi('POST', '/v1/transactions/process', { body: { barcode: cards[0].barcode, items } })
  return { id, data, earn }
}

/** That of the only message, at the address of this service. */
function stopLink(): string {
  const link = /https?:\S+\/u\/\S+/.exec(textOf(mail.mails[0]!))![0]
  return new URL(new URL(link).pathname, demo.baseUrl).href
}

test('a customer withdraws the consent from a message, with one press', async () => {
  await setSender()
  const kind = '/v1/message-kinds/reward_earned'
  await callApi('PATCH', kind, { body: { channels: ['email'] } })
  const { id, data, earn } = await newEarner()
  await earn()
  await expect.poll(() => mail.mails.length).toBe(1)
  expect(mail.mails[0]!.to).toEqual([data.email])
  const opened = await openPage({ width: 390, height: 844 })
  const { page } = opened
  await page.goto(stopLink())
  // Opening it changes nothing: mail programs follow links by themselves.
  const consentOf = async () => (await callApi('GET', `/v1/customers/${id}`)).consents.marketing
  expect(await consentOf()).toBe(true)
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await page.getByText(/You will get no more news from/).waitFor()
  await expectAccessible(page)
  expect(await consentOf()).toBe(false)
  expectCalm(opened)
  await callApi('PATCH', kind, { body: { channels: [] } })
})

test('a customer who withdrew the consent gets no more of it, and the desk sees how', {
  skip: !isFull,
}, async () => {
  await setSender()
  const kind = '/v1/message-kinds/reward_earned'
  await callApi('PATCH', kind, { body: { channels: ['email'] } })
  const { id, earn } = await newEarner()
  await earn()
  await expect.poll(() => mail.mails.length).toBe(1)
  const { page } = await openPage({ width: 390, height: 844 })
  await page.goto(stopLink())
  await page.getByRole('button').click()
  await page.getByText(/You will get no more news from/).waitFor()

  const { data: before } = await callApi('GET', `/v1/messages?customer=${id}`)
  await earn()
  const office = await openConsole(`/customers/${id}`)
  await office.page
    .getByText(/refused or withdrawn on .*\(link in a message\)/)
    .first()
    .waitFor()
  const { data: after } = await callApi('GET', `/v1/messages?customer=${id}`)
  expect(after).toHaveLength(before.length)
  expect(mail.mails).toHaveLength(1)
  expectCalm(office)
  await callApi('PATCH', kind, { body: { channels: [] } })
})
