/** Runs the receiver of SMS that the guide shows, as it is written there, and lets the service send to it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { messageStatus } from '../../src/domain/message.ts'
import { sendRound } from '../../src/jobs/send-messages.ts'
import { packageRoot } from '../../src/package-root.ts'
import { startTestService, type TestService } from '../support/service.ts'

const guide = readFileSync(join(packageRoot, 'docs/guides/messages.md'), 'utf8')

let service: TestService
let folder: string
let receiver: ChildProcess | undefined

beforeAll(async () => {
  service = await startTestService()
  folder = mkdtempSync(join(tmpdir(), 'lw-sms-'))
})
afterAll(async () => {
  receiver?.kill()
  rmSync(folder, { recursive: true })
  await service.close()
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

test('the receiver of the guide takes an SMS once, and nothing that is not signed', async () => {
  const merchant = await service.createMerchant()
  const url = `http://127.0.0.1:${await freePort()}/`
  const { secret } = (await merchant.call('PUT', '/v1/senders/sms', { url })).body
  const file = join(folder, 'receiver.mjs')
  writeFileSync(file, /^```js\n(.+?)^```$/ms.exec(guide)![1]!)
  const env = { PATH: process.env.PATH, SMS_SECRET: secret, PORT: new URL(url).port }
  receiver = spawn(process.execPath, [file], { env })
  let said = ''
  receiver.stdout!.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  const forged = { id: 'msg_x', data: { to: '+12025550199', text: 'forged' } }
  const forge = () => fetch(url, { method: 'POST', body: JSON.stringify(forged) }).catch(() => undefined)
  await expect.poll(async () => (await forge())?.status, { timeout: 30_000 }).toBe(401)

  const { card } = await merchant.register(await merchant.publishCampaign(), { phone: '+12025550123' })
  const { id } = (await merchant.call('POST', '/v1/messages', { card })).body
  const send = async () => {
    await sendRound(service.deps)
    expect((await merchant.call('GET', `/v1/messages/${id}`)).body).toMatchObject({ status: 3 })
  }
  await send()
  await expect.poll(() => said).toMatch(/^SMS to \+12025550123: .*https?:/s)
  // As after a crash between the SMS and our note of it.
  await service.database.pool.query('UPDATE messages SET status = $1, next_attempt_at = now()', [
    messageStatus.pending,
  ])
  await merchant.call('POST', `/v1/messages/${id}/retry`)
  await send()
  expect(said.match(/SMS to/g)).toHaveLength(1)
})
