import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runRound, startJobs } from '../../src/jobs/run-jobs.ts'
import { fillNameKeys } from '../../src/operations/customers/fill-name-keys.ts'
import { wholeTurn } from '../../src/operations/turn.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let merchant: Merchant

beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant()
})
afterAll(() => service.close())

const find = async (q: string, of: Merchant = merchant): Promise<string[]> => {
  const { body } = await of.call('GET', `/v1/customers?q=${encodeURIComponent(q)}`)
  return body.data.map((item: { id: string }) => item.id)
}
const create = async (fullname: string, of: Merchant = merchant): Promise<string> =>
  (await of.call('POST', '/v1/customers', { data: { fullname } })).body.id
const rename = (id: string, fullname: string | null) =>
  merchant.call('PATCH', `/v1/customers/${id}`, { data: { fullname } })
const erase = (id: string) => merchant.call('POST', `/v1/customers/${id}/erase`)
const uuidOf = (id: string) => id.replace('cus_', '')
const keyOf = async (id: string) => {
  const found = await service.database.pool.query('SELECT name_key FROM customers WHERE id = $1', [
    uuidOf(id),
  ])
  return found.rows[0].name_key
}

describe('a customer is found by the name', () => {
  test.each([
    ['Đặng Thị Ánh', ['dang', 'Đặng', 'ĐẶNG', 'anh thi DANG', 'Đang', 'ánh'], ['dong', 'dang thi binh']],
    [
      'Jörg Müller',
      ['muller', 'mueller', 'Müller', 'MUELLER joerg', 'Joerg muller', 'rg'],
      ['moller', 'jarg'],
    ],
    ['Joerg Mueller', ['Jörg Müller', 'jOeRg', 'mueller'], ['muller']],
    ['Søren Kjærgård', ['soren', 'soeren', 'kjaergard', 'Kjærgaard', 'SØREN'], ['sren']],
    ['Łukasz Weiß', ['lukasz', 'weiss', 'WEISS Ł', 'weiß'], ['ukaszw']],
    ['José Ñuñez', ['jose nunez', 'JOSÉ', 'nuñez'], ['josa']],
    ['İpek Işık', ['ipek isik', 'IPEK', 'işik', 'IŞIK', 'İPEK'], ['apek']],
    ["Sinéad O'Neil", ['o’neil', "sinead o'n"], ['oneil']],
    ['أحمد مُصطفى', ['احمد', 'مصطفي', 'أَحمد مصطفى'], ['محمد']],
    ['Νίκος', ['νικος', 'ΝΙΚΟΣ', 'Νίκος'], ['νικας']],
    ['ดวงใจ ก้อง', ['ก้อง'], ['กอง']],
    ['100%_\\x', ['100%', '%_', '\\X'], ['100_', '1%x', '\\\\']],
  ])('%s', async (name, finding, others) => {
    const composed = await create(name.normalize('NFC'))
    const decomposed = await create(name.normalize('NFD'))
    const both = [decomposed, composed]
    for (const q of finding) {
      expect([q, await find(q.normalize('NFC'))]).toEqual([q, both])
      expect([q, await find(q.normalize('NFD'))]).toEqual([q, both])
    }
    for (const q of others) expect([q, await find(q)]).toEqual([q, []])
    for (const id of both) await erase(id)
    for (const q of finding) expect([q, await find(q)]).toEqual([q, []])
  })

  test('that it has now, and by none when that is taken away', async () => {
    const id = await create('Đặng')
    await rename(id, 'Ĺěo')
    expect([await find('dang'), await find('leo')]).toEqual([[], [id]])
    // Written differently, with the same plain letters, back and forth.
    for (const name of ['Leo', 'LÉO', 'Léo']) {
      await rename(id, name)
      expect([name, await find('leo'), await find('lèo')]).toEqual([name, [id], [id]])
    }
    await rename(id, null)
    expect([await find('leo'), await keyOf(id)]).toEqual([[], null])
    await erase(id)
  })

  test('in the own organization only', async () => {
    const other = await service.createMerchant()
    await create('Bjørk', other)
    expect([await find('bjork'), (await find('bjork', other)).length]).toEqual([[], 1])
  })

  test('and a text that folding leaves nothing of finds nobody', async () => {
    const id = await create('Anna')
    for (const q of ['ـ', '\u0301', '¨', 'ﹰ', '¨ ¨']) expect([q, await find(q)]).toEqual([q, []])
    await erase(id)
  })
})

test('erasing takes away what the name was found by', async () => {
  const id = await create('Ŵilhelmina Müller')
  expect(await keyOf(id)).toBe('wilhelmina muller wilhelmina mueller')
  await erase(id)
  expect(await keyOf(id)).toBeNull()
})

describe('with names of before', () => {
  /** As the version before writes: it knows no key. */
  const writeAsBefore = (id: string, fullname: string | null) =>
    service.database.pool.query('UPDATE customers SET fullname = $2 WHERE id = $1', [uuidOf(id), fullname])
  const forgetKeys = () => service.database.pool.query('UPDATE customers SET name_key = NULL')
  /** As the migration does. */
  const armJob = () =>
    service.database.pool.query(
      `INSERT INTO due_work (org_id, kind, due_at) SELECT org_id, 'names', now() - interval '1 second' FROM organizations
       ON CONFLICT (org_id, kind) DO UPDATE SET due_at = EXCLUDED.due_at, progress = NULL`,
    )
  const runJob = async () => {
    await armJob()
    await runRound(service.deps)
  }

  test('they are found as they are written, and in plain letters once the job has been there', async () => {
    const ids = [await create('Đặng Ánh'), await create('İpek Müller'), await create('Plain Person')]
    const other = await service.createMerchant()
    const foreign = await create('Đặng Foreign', other)
    await forgetKeys()
    for (const [q, id] of [
      ['đặng', ids[0]],
      ['ÁNH Đặng', ids[0]],
      ['Müller', ids[1]],
      ['İPEK', ids[1]],
      ['person PLAIN', ids[2]],
    ] as const) {
      expect([q, await find(q)]).toEqual([q, [id]])
    }
    expect(await find('dang')).toEqual([])
    await runRound(service.deps)
    expect(await find('dang')).toEqual([])
    await runJob()
    expect([await find('dang'), await find('mueller'), await find('person')]).toEqual(ids.map((id) => [id]))
    expect(await find('dang', other)).toEqual([foreign])
    for (const id of ids) await erase(id)
  })

  test('the job fills them all in, batch by batch, once, also when two run at once', async () => {
    const busy = await service.createMerchant()
    await create('Đặng', busy)
    const { rows } = await service.database.pool.query(
      `INSERT INTO customers (org_id, id, fullname, created_at, updated_at)
       SELECT org_id, gen_random_uuid(), 'Đặng ' || n, now(), now()
       FROM generate_series(1, 1200) n, (SELECT max(org_id) AS org_id FROM customers) o RETURNING org_id`,
    )
    const org = rows[0].org_id
    await Promise.all([1, 2].map(() => fillNameKeys(service.deps, org, wholeTurn())))
    expect(await fillNameKeys(service.deps, org, wholeTurn())).toEqual({ customers: 0 })
    expect((await find('dang 1200', busy)).length).toBe(1)
  })

  test('the job does not wait for a customer whom somebody is changing', async () => {
    const id = await create('Đặng')
    await forgetKeys()
    const client = await service.database.pool.connect()
    try {
      await client.query('BEGIN')
      await client.query('UPDATE customers SET status = status WHERE id = $1', [uuidOf(id)])
      await runJob()
      expect(await keyOf(id)).toBeNull()
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
    await runJob()
    expect(await keyOf(id)).toBe('dang')
    await erase(id)
  })

  test('the first round after an upgrade looks for them', async () => {
    const id = await create('Đặng')
    await forgetKeys()
    await armJob()
    const jobs = startJobs(service.deps)
    await expect.poll(() => find('dang')).toEqual([id])
    await jobs.stop()
    await erase(id)
  })

  test('the job mends the keys of those whom the version before has renamed or erased', async () => {
    const renamed = await create('Đặng')
    const erased = await create('Đặng')
    await writeAsBefore(renamed, 'Léo')
    await writeAsBefore(erased, null)
    await runJob()
    expect([await find('dang'), await find('leo')]).toEqual([[], [renamed]])
    expect([await keyOf(renamed), await keyOf(erased)]).toEqual(['leo', null])
    await erase(renamed)
    await erase(erased)
  })
})
