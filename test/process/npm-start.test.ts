import { chmod } from 'node:fs/promises'
import { dirname } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Checkout, findServerPid, makeCheckout, readDemo } from '../support/checkout.ts'
import { isFull } from '../support/full.ts'

let checkout: Checkout

beforeAll(async () => {
  checkout = await makeCheckout({ isCopy: true })
})
afterAll(() => checkout.remove())

const npmStart = ['npm', 'start']

test('npm start runs the service with everything it needs, and SIGTERM reaches it through npm', async () => {
  const dataDir = await checkout.newDataDir()
  const first = await checkout.start({ DATA_DIR: dataDir }, npmStart)
  const { apiKey } = await readDemo(dataDir)
  await first.end('SIGTERM')
  expect(await findServerPid(dataDir)).toBeUndefined()
  if (!isFull) return
  const second = await checkout.start({ DATA_DIR: dataDir }, npmStart)
  // Told and not asserted: how long it takes says as much about the computer as about us.
  console.log(
    `npm start answered after ${first.answeredAfterMs} ms, and again after ${second.answeredAfterMs} ms`,
  )
  expect((await readDemo(dataDir)).apiKey).toBe(apiKey)
  await second.end('SIGTERM')
  expect(await findServerPid(dataDir)).toBeUndefined()
})

test.runIf(isFull)('a checkout in a folder that only its owner may enter works, also for root', async () => {
  await chmod(dirname(checkout.folder), 0o700)
  const dataDir = await checkout.newDataDir()
  const service = await checkout.start({ DATA_DIR: dataDir })
  expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200)
  const listed = await checkout.run(['organization', 'list', '--json'], { DATA_DIR: dataDir })
  expect(JSON.parse(listed.stdout)).toMatchObject({
    data: [{ id: (await readDemo(dataDir)).organizationId }],
  })
  expect(await service.end('SIGTERM')).toMatchObject({ code: 0 })
  expect(await findServerPid(dataDir)).toBeUndefined()
})
