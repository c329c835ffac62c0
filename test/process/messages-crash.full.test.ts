import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type KillableServices, startKillableServices } from '../support/killable-services.ts'
import { type MailServer, startMailServer } from '../support/mail-server.ts'
import { coffeeClub } from '../support/service.ts'

let services: KillableServices
let mail: MailServer

beforeAll(async () => {
  ;[services, mail] = await Promise.all([startKillableServices(), startMailServer()])
})

afterAll(async () => {
  await services.close()
  await mail.close()
})

test('two services, killed again and again in the middle of sending: no message is lost or arrives twice', async () => {
  const { call, database, restart } = services
  const server = { host: '127.0.0.1', port: mail.port, security: 'none', from: 'hello@example.com' }
  await call('PUT', '/v1/senders/email', { ...server, perHour: 10_000 })
  const { id: campaignId } = await call('POST', '/v1/campaigns', coffeeClub)
  await call('POST', `/v1/campaigns/${campaignId}/publish`)
  const customer = { data: { email: 'ada@example.com' } }
  const { cards } = await call('POST', '/v1/customers/register', { campaignId, customer })
  mail.onMail = () => sleep(10)
  const kills = 12
  const perKill = 30
  const ordered: string[] = []
  for (let i = 0; i < kills; i++) {
    const before = mail.mails.length
    for (let n = 0; n < perKill; n++) {
      ordered.push((await call('POST', '/v1/messages', { card: cards[0].id })).id)
    }
    await vi.waitFor(() => expect(mail.mails.length).toBeGreaterThan(before + 3), { timeout: 30_000 })
    await sleep(Math.random() * 30)
    // Who sends is not known, so both are killed.
    await restart([0, 1])
    // A lease of the dead ends after a minute, and their attempts are given up after five: here both at once.
    await database.pool.query("UPDATE due_work SET leased_until = now() WHERE kind = 'sending'")
    await database.pool.query(
      "UPDATE messages SET started_at = started_at - interval '10 minutes' WHERE status = 2",
    )
  }
  const statusOf = new Map<string, number>()
  await vi.waitFor(
    async () => {
      for (const id of ordered) statusOf.set(id, (await call('GET', `/v1/messages/${id}`)).status)
      expect([...statusOf.values()].filter((status) => status !== 3 && status !== 5)).toEqual([])
    },
    { timeout: 60_000, interval: 500 },
  )
  const arrived = mail.mails.map(({ headers }) => /msg_[0-9a-f]{32}/.exec(headers.get('message-id')!)![0])
  expect(new Set(arrived).size).toBe(arrived.length)
  const sent = ordered.filter((id) => statusOf.get(id) === 3)
  expect(sent.filter((id) => !arrived.includes(id))).toEqual([])
  // One at a time: a kill leaves one in doubt at most.
  expect(ordered.length - sent.length).toBeLessThanOrEqual(kills)
})
