/** The commands of daily work, in this process, against one real service. */
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyWebhook } from '../../sdk/src/index.ts'
import { triggers } from '../../src/cli/triggers.ts'
import { answerWith, startReceiver } from '../support/receiver.ts'
import { runCommand, runForJson } from '../support/run-command.ts'
import { type Merchant, type Registered, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let merchant: Merchant
let campaign: string
let ada: Registered
let url: string
let folder: string
let env: Record<string, string>

beforeAll(async () => {
  service = await startTestService()
  await service.app.listen({ port: 0, host: '127.0.0.1' })
  url = `http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`
  merchant = await service.createMerchant()
  await service.database.pool.query('UPDATE organizations SET is_demo = true')
  campaign = await merchant.publishCampaign()
  ada = await merchant.register(campaign, { fullname: 'Ada 王小明', email: 'ada@example.com' })
  folder = await mkdtemp(join(tmpdir(), 'wallet-cli-'))
  env = { XDG_CONFIG_HOME: folder }
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

const profiles = () => join(folder, 'loyalty-wallet', 'profiles.json')

/** Runs a command and requires that it succeeds. */
async function say(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(args, env)
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' })
  return stdout
}

/** Runs until it has printed as many lines as wanted, which are documents. */
async function tail(
  count: number,
  args: readonly string[],
  more: Record<string, string> = {},
  // biome-ignore lint/suspicious/noExplicitAny: read the way a script would.
): Promise<any[]> {
  const stopping = new AbortController()
  let text = ''
  const { code } = await runCommand(
    [...args, '--json'],
    { ...env, ...more },
    {
      stopped: stopping.signal,
      out(part) {
        text += part
        if (text.split('\n').length > count) stopping.abort()
      },
    },
  )
  expect({ code, text }).toMatchObject({ code: 0 })
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

test('login asks for the credentials, checks them, and stores them where only the user can read them', async () => {
  const questions: string[] = []
  const answers: Record<string, string> = { 'API key: ': merchant.apiKey, 'API secret: ': 'lws_wrong' }
  const terminal = {
    ask: async (question: string, { isSecret = false } = {}) => {
      questions.push(`${question}${isSecret ? '(hidden)' : ''}`)
      return answers[question]!
    },
  }
  const wrong = await runCommand(['login', '--url', url], env, terminal)
  expect(wrong).toMatchObject({ code: 1, stdout: '' })
  expect(wrong.stderr).toMatch(/refused the request.*Log in again/)
  await expect(stat(profiles())).rejects.toThrow('ENOENT')
  answers['API secret: '] = merchant.apiSecret
  const { code, stdout } = await runCommand(['login', '--url', url], env, terminal)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Logged in to Test at http/)
  expect(stdout).not.toContain(merchant.apiSecret)
  expect(questions.slice(2)).toEqual(['API key: ', 'API secret: (hidden)'])
  expect((await stat(profiles())).mode & 0o777).toBe(0o600)
})

test('login reads what is piped in, and profiles are chosen by name', async () => {
  const readInput = async () => `${merchant.apiKey}\n${merchant.apiSecret}\n`
  const piped = await runCommand(['login', '--url', url, '--name', 'second'], env, { readInput })
  expect(piped).toMatchObject({ code: 0 })
  expect(await runForJson(['logout'], env)).toMatchObject({ code: 0, profile: 'second' })
  const missing = await runCommand(['campaigns', 'list', '--profile', 'third'], env)
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringMatching(/There are: default/) })
  const named = { ...env, LOYALTY_WALLET_PROFILE: 'default' }
  expect(await runForJson(['campaigns', 'list'], named)).toMatchObject({ code: 0, data: [{ id: campaign }] })
  const elsewhere = await runCommand(['token', '--url', 'http://127.0.0.1:9'], named)
  expect(elsewhere).toMatchObject({ code: 2, stderr: expect.stringMatching(/not sent anywhere else/) })
  const empty = await runCommand(['login', '--url', url], env)
  expect(empty).toMatchObject({ code: 2, stderr: expect.stringMatching(/two lines of the input/) })
  env.LOYALTY_WALLET_PROFILE = 'default'
})

test.skipIf(process.platform === 'win32')('a file that others can read is not used', async () => {
  await chmod(profiles(), 0o644)
  const shared = await runCommand(['campaigns', 'list'], env)
  expect(shared).toMatchObject({ code: 1, stderr: expect.stringMatching(/chmod 600/) })
  await chmod(profiles(), 0o600)
})

test('customers are found and shown, with everything that a merchant asks about', async () => {
  expect(await say('customers', 'find', 'Ada')).toMatch(/^id +name +phone.*\n(cus_\w+) +Ada 王小明/)
  expect(await say('customers', 'find', '--email', 'ada@example.com')).toContain(ada.customer)
  expect(await say('customers', 'find', '--barcode', ada.barcode)).toContain(ada.customer)
  const nobody = await runForJson(['customers', 'find', 'Zzz'], env)
  expect(nobody).toEqual({ code: 1, data: [], hasMore: false })
  const both = await runCommand(['customers', 'find', 'Ada', '--phone', '1'], env)
  expect(both.code).toBe(2)
  const text = await say('customers', 'show', ada.barcode)
  expect(text).toMatch(/Customer +cus_/)
  expect(text).toMatch(/Cards\nid +barcode +campaign +status\ncard_\w+ +\d+ +Coffee club +active/)
})

test('a basket is tried, processed once, shown, and returned', async () => {
  const basket = join(folder, 'basket.json')
  const items = [{ id: 'a', name: 'Latte', product: 'latte', quantity: 2, unitPrice: 4.5 }]
  await writeFile(basket, JSON.stringify({ customer: ada.customer, card: ada.card, items }))
  expect(await say('transactions', 'process', '-f', basket, '--dry-run')).toMatch(
    /nothing was changed[\s\S]*Due +9\n[\s\S]*Would do\n {2}collects 9 points/,
  )
  const without = await runCommand(['transactions', 'process', '-f', basket], env)
  expect(without).toMatchObject({ code: 2, stderr: expect.stringMatching(/opaqueId/) })
  const numbered = JSON.stringify({ barcode: ada.barcode, items, opaqueId: 'R-1' })
  const readInput = async () => numbered
  const args = ['transactions', 'process', '-f', '-', '--json']
  const first = JSON.parse((await runCommand(args, env, { readInput })).stdout)
  const second = JSON.parse((await runCommand(args, env, { readInput })).stdout)
  expect(second.id).toBe(first.id)
  const shown = await say('transactions', 'show', 'R-1')
  expect(shown).toContain(first.id)
  expect(shown).toMatch(/Did\n {2}collects 9 points \(base\), then has 9/)
  expect(await say('customers', 'show', ada.customer)).toMatch(/R-1 .* 9 +\+9 points, \+2 stamps +processed/)
  const back = ['transactions', 'return', first.id, '--items', 'a=1']
  expect(await say(...back, '--dry-run')).toMatch(/nothing was changed[\s\S]*Refund +4.50/)
  expect(await runForJson(['transactions', 'show', first.id], env)).toMatchObject({ returns: [] })
  expect(await runForJson([...back, '--receipt', 'R-1-1'], env)).toMatchObject({ refundAmount: 4.5 })
  expect(await say('transactions', 'show', first.id)).toMatch(
    /partly returned[\s\S]*1 of item a; refund 4.50/,
  )
  const unknown = await runCommand(['transactions', 'show', 'R-404'], env)
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringMatching(/no sale .* "R-404"/) })
})

test('campaigns are pulled, compared and applied, and nobody is overwritten', async () => {
  const files = join(folder, 'campaigns')
  const path = join(files, 'coffee-club.json')
  await say('campaigns', 'pull', files)
  expect(await readdir(files)).toEqual(['coffee-club.json'])
  const pulled = await readFile(path, 'utf8')
  expect(Object.keys(JSON.parse(pulled)).slice(0, 4)).toEqual(['id', 'base', 'name', 'balances'])
  expect(await say('campaigns', 'pull', files)).toMatch(/^unchanged/)
  expect(await say('campaigns', 'diff', '-f', files)).toBe('The file is as on the service.\n')
  expect(await say('campaigns', 'apply', '-f', files)).toMatch(/^Nothing to do/)

  const changed = JSON.parse(pulled)
  changed.rules[0].points = 2
  delete changed.spend.maxShare
  await writeFile(path, JSON.stringify(changed))
  const different = await runCommand(['campaigns', 'diff', '-f', path], env)
  expect(different.code).toBe(1)
  expect(different.stdout).toMatch(/~ rules\[base\]\.points: 1 → 2\n.*- spend\.maxShare: 0\.5/)
  const unsure = await runCommand(['campaigns', 'apply', '-f', path], env)
  expect(unsure).toMatchObject({ code: 1, stderr: expect.stringMatching(/Plan:[\s\S]*update[\s\S]*--yes/) })
  const no = await runCommand(['campaigns', 'apply', '-f', path], env, { ask: async () => 'n' })
  expect(no).toMatchObject({ code: 1, stderr: expect.stringMatching(/Nothing was changed/) })
  const yes = await runCommand(['campaigns', 'apply', '-f', path], env, { ask: async () => 'y' })
  expect(yes).toMatchObject({ code: 0, stdout: 'Applied.\n' })
  expect(await say('campaigns', 'apply', '-f', path)).toMatch(/^Nothing to do/)
  expect(await runForJson(['campaigns', 'apply', '-f', path, '--publish', '--yes'], env)).toMatchObject({
    code: 0,
    data: [{ id: campaign, action: 'unchanged', isPublished: true, version: 2 }],
  })
  expect(await say('campaigns', 'apply', '-f', path, '--publish')).toMatch(/^Nothing to do/)

  // Somebody else changes the draft, and this file is of before.
  await merchant.call('PATCH', `/v1/campaigns/${campaign}`, { spend: { min: 50 } })
  const mine = JSON.parse(await readFile(path, 'utf8'))
  await writeFile(path, JSON.stringify({ ...mine, name: 'Coffee society' }))
  const refused = await runForJson(['campaigns', 'apply', '-f', path, '--yes'], env)
  expect(refused).toMatchObject({ code: 1, error: { code: 'draft_changed' } })
  expect((await runForJson(['campaigns', 'apply', '-f', path, '--yes', '--force'], env)).code).toBe(0)
  const { body } = await merchant.call('GET', `/v1/campaigns/${campaign}`)
  expect(body).toMatchObject({ name: 'Coffee society', spend: { min: 100 } })
  expect(body.spend).not.toHaveProperty('maxShare')
})

test('a campaign is created from a file once, also if its ID was never committed', async () => {
  const path = join(folder, 'tea.json')
  const tea = JSON.stringify({ name: 'Tea club', balances: [{ key: 'leaves' }] })
  await writeFile(path, tea)
  const apply = () => runForJson(['campaigns', 'apply', '-f', path, '--yes'], env)
  const created = await apply()
  expect(created).toMatchObject({ code: 0, data: [{ action: 'create' }] })
  expect(JSON.parse(await readFile(path, 'utf8')).id).toBe(created.data[0].id)
  await writeFile(path, tea)
  expect(await apply()).toEqual({ code: 0, data: [] })
  await writeFile(path, tea.replace('balances', 'balance'))
  expect(await apply()).toMatchObject({
    code: 2,
    error: { message: expect.stringMatching(/"balance" is no field/) },
  })
})

test.each(Object.keys(triggers))('%s can be triggered in the demo', async (event) => {
  const { code, data, error } = await runForJson(['trigger', event, '--campaign', campaign], env)
  expect({ code, error }).toEqual({ code: 0 })
  expect(data.map(({ type }: { type: string }) => type)).toContain(event)
})

test('nothing is triggered among real customers, nor what cannot be', async () => {
  expect(await runCommand(['trigger', 'weather.changed'], env)).toMatchObject({ code: 2 })
  const real = await service.createMerchant()
  const own = { API_KEY: real.apiKey, API_SECRET: real.apiSecret }
  const refused = await runForJson(['trigger', 'customer.created', '--url', url], own)
  expect(refused).toMatchObject({ code: 1, error: { code: 'not_for_tests' } })
})

test('events are printed as they happen, and from a time on', async () => {
  const args = ['events', 'tail', '--type', 'balance.adjusted']
  const [past] = await tail(1, [...args, '--since', '1h'])
  expect(past).toMatchObject({ type: 'balance.adjusted', position: expect.any(Number) })
  const [live] = await Promise.all([
    tail(1, [...args, '--count', '1', '--since', past.cursor]),
    runForJson(['trigger', 'balance.adjusted', '--campaign', campaign], env),
  ])
  expect(live[0].position).toBeGreaterThan(past.position)
  expect(await say('events', 'tail', '--since', '1h', '--no-follow')).toMatch(
    /^\d{4}.*Z +customer\.\w+ +customer=cus_\w+ +by=connection:usr_/m,
  )
  expect(await runCommand(['events', 'tail', '--type', 'x'], env)).toMatchObject({ code: 2 })
  expect(await runCommand(['events', 'tail', '--since', 'x'], env)).toMatchObject({ code: 2 })
})

test('webhooks are forwarded as the service would send them, and sent again', async () => {
  const receiver = await startReceiver()
  try {
    let answers = 0
    receiver.answer = (...args) => answerWith(++answers === 1 ? 500 : 204)(...args)
    const args = ['webhooks', 'listen', '--forward-to', receiver.url.replace('http://', '')]
    const [greeting, failed, delivered] = await tail(3, [
      ...args,
      '--since',
      '1h',
      '--type',
      'coupon.granted',
    ])
    expect(failed).toMatchObject({ attempt: 1, status: 500, isDelivered: false })
    expect(delivered).toMatchObject({ attempt: 2, status: 204, isDelivered: true, event: failed.event })
    const [, received] = receiver.received
    expect(await verifyWebhook(received!, greeting.secret)).toMatchObject({ id: failed.event })
    expect(received!.headers).toMatchObject({ 'user-agent': 'Loyalty-Wallet-Webhooks/1' })
    const bad = await runCommand(args, { ...env, WEBHOOK_SECRET: 'whsec_short' })
    expect(bad).toMatchObject({ code: 2, stderr: expect.stringMatching(/WEBHOOK_SECRET/) })
  } finally {
    await receiver.close()
  }
})

test('the request log is printed, without the requests of this command', async () => {
  await merchant.call('GET', '/v1/customers/find?q=nobody')
  await service.flushRequests()
  const lines = (await say('logs', 'tail', '--since', '1h', '--no-follow')).trim().split('\n')
  expect(lines.length).toBeGreaterThan(10)
  expect(
    lines.every((line) => /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}\d{3} {2}(?:GET|POST|PATCH)/.test(line)),
  ).toBe(true)
  const refused = await say('logs', 'tail', '--since', '1h', '--no-follow', '--status', 'refused')
  expect(refused).toMatch(/404 {2}GET +\/v1\/customers\/find .* customer_not_found/)
  expect(await tail(1, ['logs', 'tail', '--since', '1h', '--count', '1'])).toHaveLength(1)
})

test('connections are listed, rotated and revoked, and one does not lock oneself out', async () => {
  const other = await merchant.call('POST', '/v1/connections', { name: 'Web shop', scopes: ['pos'] })
  expect(await say('connection', 'list')).toMatch(/con_\w+ +Web shop +pos +active +never/)
  const unsure = await runCommand(['connection', 'revoke', other.body.id], env)
  expect(unsure).toMatchObject({ code: 1, stderr: expect.stringMatching(/--yes/) })
  const rotated = await runForJson(['connection', 'rotate', other.body.id, '--yes'], env)
  expect(rotated).toMatchObject({ code: 0, apiSecret: expect.stringMatching(/^lws_/) })
  expect(rotated).not.toHaveProperty('isStoredIn')
  expect(await runForJson(['connection', 'revoke', other.body.id, '--yes'], env)).toMatchObject({
    status: 'revoked',
  })
  const own = await runForJson(['connection', 'rotate', merchant.connection, '--yes'], env)
  expect(own).toMatchObject({ code: 0, isStoredIn: 'default' })
  expect(await say('connection', 'list')).toMatch(/Web shop +pos +revoked/)
})

test('what goes wrong says what to do next', async () => {
  const scope = await service.createMerchant({ scopes: ['pos'] })
  const pos = { API_KEY: scope.apiKey, API_SECRET: scope.apiSecret }
  const forbidden = await runCommand(['connection', 'list', '--url', url], pos)
  expect(forbidden).toMatchObject({ code: 1, stderr: expect.stringMatching(/scope/) })
  const away = await runCommand(['campaigns', 'list', '--url', 'http://127.0.0.1:9'], pos)
  expect(away).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/not reachable .*loyalty-wallet serve/),
  })
  const nothing = await runCommand(['customers', 'find', 'x'], { DATA_DIR: folder })
  expect(nothing).toMatchObject({ code: 1, stderr: expect.stringMatching(/loyalty-wallet login/) })
})

test('colors and widths are those of the terminal, and of nothing else', async () => {
  const wide = await runCommand(['campaigns', 'list'], env, { hasColors: true, columns: 60 })
  expect(wide.stdout).toContain('\u001b[1mid')
  const narrow = await runCommand(['campaigns', 'list'], env, { columns: 60 })
  expect(narrow.stdout).toMatch(/cmp_[0-9a-f]{32} +Coffee so… +published…\n/)
  expect(await say('campaigns', 'list')).not.toContain('\u001b')
})
