import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packageRoot } from '../../src/package-root.ts'
import { audit } from '../support/audit.ts'
import { isFull } from '../support/full.ts'
import { runCommand, runForJson } from '../support/run-command.ts'
import { coffeeClub, type Merchant, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let folder: string
let url: string

beforeAll(async () => {
  service = await startTestService()
  await service.app.listen({ port: 0, host: '127.0.0.1' })
  url = `http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`
  folder = mkdtempSync(join(tmpdir(), 'lw-import-'))
  cpSync(join(packageRoot, 'test/files'), folder, { recursive: true })
})
afterAll(async () => {
  expect(await audit(service.database.pool)).toEqual([])
  await service.close()
  rmSync(folder, { recursive: true, force: true })
})

const envOf = ({ apiKey, apiSecret }: Merchant) => ({
  API_KEY: apiKey,
  API_SECRET: apiSecret,
  DATA_DIR: join(folder, 'none'),
})
const openMerchant = async (country = 'AT') => {
  const merchant = await service.createMerchant({ country })
  return { merchant, campaign: await merchant.publishCampaign(coffeeClub), env: envOf(merchant) }
}

/** The words of a command line; those in quotes belong together. */
const words = (line: string) =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!)

test('the commands of the guide work, on files as other systems write them', async () => {
  const { merchant, env } = await openMerchant('US')
  const guide = readFileSync(join(packageRoot, 'docs/guides/import.md'), 'utf8')
  const lines = [...guide.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block]) =>
    block!.trim().split('\n'),
  )
  expect(lines.length).toBeGreaterThan(10)
  for (const line of lines) {
    const [program, ...args] = words(line)
    expect(program).toBe('loyalty-wallet')
    const inFolder = args.map((word) =>
      /\.\w+$/.test(word) && !word.includes('=') ? join(folder, word) : word,
    )
    const said = await runCommand([...inFolder, '--url', url], env)
    // The last row of the spreadsheet is wrong on purpose.
    expect([line, said.code, said.stderr && said.code > 1 ? said.stderr : '']).toEqual([
      line,
      line.includes('import spreadsheet.csv') ? 1 : 0,
      '',
    ])
  }
  const ada = (await merchant.call('GET', '/v1/customers?q=ada@example.com')).body.data[0]
  // Opened by the file of Square, and by none of the others.
  expect(ada.collectables).toMatchObject({ points: { value: 120 }, stamps: { value: 7, total: 17 } })
  const rejected = readFileSync(join(folder, 'spreadsheet.csv.rejected.csv'), 'utf8')
  expect(rejected).toMatch(
    /^\ufeffKundennummer;.*;row;reasons\r\n1003;.*;4;"?.*balances\.points: the value is not valid\./,
  )
  expect(readFileSync(join(folder, 'all-products.ndjson'), 'utf8')).toContain('"opaqueId":"latte"')
})

test('an export in each format is imported elsewhere, and comes out the same', async () => {
  const { env, merchant, campaign } = await openMerchant()
  const rows = [
    {
      row: 1,
      opaqueId: '=1+1',
      fullname: '"Ada", \n the first; \'yes\'',
      phone: '+43 664 1234567',
      consents: { marketing: true, sms: false },
      metaData: { note: 'a, "b"', deep: { list: [1] } },
      cards: [{ barcode: '@CARD-1' }],
      balances: [
        { key: 'points', total: 900, lots: [{ amount: 12, expiresAt: '2099-01-31' }, { amount: 3 }] },
      ],
    },
    { row: 2, fullname: 'No card', email: 'none@example.com' },
  ]
  const { id } = (await merchant.call('POST', '/v1/imports', { kind: 'customers', campaign })).body
  await merchant.call('POST', `/v1/imports/${id}/rows`, { after: 0, rows })
  for (const format of ['csv', 'ndjson']) {
    const file = join(folder, `first.${format}`)
    expect(await runForJson(['customers', 'export', file, '--url', url], env)).toMatchObject({
      code: 0,
      count: 2,
    })
    const other = await openMerchant()
    const imported = await runForJson(['customers', 'import', file, '--url', url], other.env)
    expect(imported).toMatchObject({ code: 0, created: 2, rejected: 0 })
    const again = join(folder, `second.${format}`)
    await runForJson(['customers', 'export', again, '--url', url], other.env)
    expect(readFileSync(again, 'utf8')).toBe(readFileSync(file, 'utf8'))
    if (format === 'csv') expect(readFileSync(file, 'utf8')).toContain("'=1+1")
  }
})

test.runIf(isFull)('an import that is killed, and interrupted, resumes: everyone is there once', async () => {
  const { env, merchant } = await openMerchant()
  const count = 10_000
  const lines = Array.from({ length: count }, (_, i) => `c-${i},c-${i}@example.com,K${i + 10_000},${i % 50}`)
  const file = join(folder, 'many.csv')
  writeFileSync(file, `Customer ID,Email,Card number,Points\n${lines.join('\n')}\n`)
  const args = ['customers', 'import', file, '--campaign', 'Coffee club', '--url', url]
  const stored = async () => (await merchant.call('GET', '/v1/imports')).body.data[0]?.created ?? 0
  for (const signal of ['SIGKILL', 'SIGINT'] as const) {
    const child = spawn(process.execPath, [join(packageRoot, 'dist/loyalty-wallet.js'), ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr.on('data', (text) => {
      said += text
    })
    const ended = once(child, 'exit')
    const until = async (isTrue: () => boolean | Promise<boolean>) => {
      while (child.exitCode === null && !(await isTrue()))
        await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await until(() => said.includes('Columns:'))
    const before = await stored()
    // More than what the command before it may have left under way.
    await until(async () => (await stored()) > before + 1_000)
    child.kill(signal)
    const [code] = await ended
    // As autovacuum does in production: a foreign key's plan from when the tables were empty reads all of them.
    await service.database.pool.query('ANALYZE')
    if (signal === 'SIGINT' && code !== 0) {
      expect(code).toBe(130)
      expect(said).toContain('Run the same command again to resume')
    }
  }
  const said = await runCommand(args, env)
  expect(said).toMatchObject({ code: 0 })
  const { data } = (await merchant.call('GET', '/v1/imports')).body
  expect(data).toHaveLength(1)
  expect(data[0]).toMatchObject({ status: 'finished', created: count, rejected: 0, lastRow: count + 1 })
  const report = (await merchant.call('GET', '/v1/reports/summary')).body
  expect(report.outstanding.points).toBe((count / 50) * 1225)
  expect((await merchant.call('GET', '/v1/integrity')).body).toMatchObject({ ok: true, problems: [] })
  // A second time: nothing.
  expect(await runForJson(args, env)).toMatchObject({ code: 0, created: 0, updated: 0, unchanged: count })
})

test('a command that cannot work says what to do', async () => {
  const { env } = await openMerchant()
  const run = async (...args: string[]) => {
    const { code, stderr } = await runCommand(['customers', 'import', ...args, '--url', url], env)
    return [code, stderr]
  }
  expect(await run(join(folder, 'none.csv'))).toEqual([2, expect.stringContaining('there is no such file')])
  expect(await run(join(folder, 'smile.csv'))).toEqual([2, expect.stringContaining('Add --campaign')])
  expect(await run(join(folder, 'smile.csv'), '--column', 'email=nothing')).toEqual([
    2,
    expect.stringContaining('cannot be "nothing"'),
  ])
  writeFileSync(
    join(folder, 'old.csv'),
    Buffer.from([...Buffer.from('name\nJ'), 0xfc, ...Buffer.from('rgen\n')]),
  )
  expect(await run(join(folder, 'old.csv'))).toEqual([2, expect.stringContaining('windows-1252')])
  expect(await run(join(folder, 'old.csv'), '--encoding', 'windows-1252')).toEqual([0, expect.anything()])
})
