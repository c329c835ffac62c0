/** Runs the commands of the guide about sources as a reader would paste them, and compares what they print. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { matchesShown } from '../../scripts/guide-steps.mjs'
import { receiveRound } from '../../src/jobs/record-received.ts'
import { packageRoot } from '../../src/package-root.ts'
import { startTestService, type TestService } from '../support/service.ts'

const guide = readFileSync(join(packageRoot, 'docs/guides/sources.md'), 'utf8')
const steps = [
  ...guide.matchAll(/^```sh\n([\s\S]*?)^```$(?:\n+```(json(?: excerpt)?)\n([\s\S]*?)^```$)?/gm),
].map(([, command, kind, shown]) => ({ command: command!, kind, shown }))

let service: TestService

beforeAll(async () => {
  service = await startTestService()
  await service.app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => service.close())

test('the commands of the guide print what it shows', async () => {
  const merchant = await service.createMerchant()
  const { barcode } = await merchant.register(await merchant.publishCampaign())
  const base = `http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    BASE: base,
    TOKEN: merchant.token,
    CARD: barcode,
  }
  for (const { command, kind, shown } of steps) {
    const { stdout } = await promisify(execFile)('sh', ['-c', command.replaceAll('curl ', 'curl -sS ')], {
      env,
    })
    const printed = JSON.parse(stdout)
    if (shown) {
      const isShown = matchesShown(JSON.parse(shown), printed, kind === 'json excerpt')
      expect([command, isShown, isShown ? '' : printed]).toEqual([command, true, ''])
    }
    // What the reader copies from what was printed.
    if (printed.secret) Object.assign(env, { SOURCE: printed.id, SECRET: printed.secret })
    if (printed.url) env.INBOUND = base + new URL(printed.url).pathname
    if (printed.received) await receiveRound(service.deps)
    if (printed.data) env.RECEIVED = printed.data[0].id
  }
  expect(steps).toHaveLength(5)
  expect(await merchant.call('GET', `/v1/received/${env.RECEIVED}`)).toMatchObject({ body: { status: 2 } })
})
