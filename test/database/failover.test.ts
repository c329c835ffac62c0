/**
 * A DATABASE_URL with several hosts. Two servers stand for the two hosts; one that is read-only stands for a
 * standby, and is promoted by ending that. Each is reached through a relay that can be cut.
 */
import { rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { classifyError } from '../../src/database/classify-error.ts'
import { atServer, listServers } from '../../src/database/failover.ts'
import { createClient, openPool } from '../../src/database/pool.ts'
import { makeServerFolder, quickSettings, startOwnServer } from '../support/own-server.ts'

interface Host {
  readonly name: string
  /** Ends what is connected, and accepts nothing until it is restored. */
  cut(): Promise<void>
  restore(): Promise<void>
  setReadOnly(isReadOnly: boolean): Promise<void>
  close(): Promise<void>
}

let folder: string
let first: Host
let second: Host

beforeAll(async () => {
  folder = await makeServerFolder()
  ;[first, second] = await Promise.all([startHost('first'), startHost('second')])
})
afterAll(async () => {
  await Promise.all([first.close(), second.close()])
  await rm(folder, { recursive: true, force: true })
})

async function startHost(name: string): Promise<Host> {
  const server = await startOwnServer(join(folder, name), quickSettings)
  const { host, port } = server.connection
  const sockets = new Set<Socket>()
  const relay = createServer((socket) => {
    const onward = connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port })
    for (const each of [socket, onward]) {
      sockets.add(each)
      each.on('error', () => {}).on('close', () => sockets.delete(each))
    }
    socket.pipe(onward).pipe(socket)
  })
  const listen = (at: number) =>
    new Promise<void>((resolve) => relay.listen(at, '127.0.0.1', () => resolve()))
  await listen(0)
  const own = (relay.address() as AddressInfo).port
  const cut = async () => {
    await new Promise((resolve) => {
      relay.close(resolve)
      for (const socket of sockets) socket.destroy()
    })
  }
  const administer = async (...statements: string[]) => {
    const client = createClient(server.connection)
    await client.connect()
    for (const statement of statements) await client.query(statement)
    await client.end()
  }
  await administer(`CREATE TABLE host AS SELECT '${name}' AS name`)
  return {
    name: `127.0.0.1:${own}`,
    cut,
    restore: () => listen(own),
    setReadOnly: (isReadOnly) =>
      administer(
        `ALTER SYSTEM SET default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`,
        'SELECT pg_reload_conf()',
        'SELECT pg_sleep(0.1)',
      ),
    async close() {
      if (relay.listening) await cut()
      await server.stop()
    },
  }
}

const urlOf = (more = '') => `postgres://loyalty_wallet@${first.name},${second.name}/loyalty_wallet${more}`

function open(more = '') {
  const pool = openPool(urlOf(more), { connectionTimeoutMs: 5_000 })
  onTestFinished(() => pool.end())
  return {
    pool,
    hostName: async () => (await pool.query('SELECT name FROM host')).rows[0].name as string,
  }
}

describe('several hosts', () => {
  test('the one that accepts writes is used, wherever it is in the list', async () => {
    await first.setReadOnly(true)
    expect(await open().hostName()).toBe('second')
    await second.setReadOnly(true)
    await first.setReadOnly(false)
    expect(await open('?target_session_attrs=read-write').hostName()).toBe('first')
    // Neither is in recovery, which is what `primary` asks for.
    expect(['first', 'second']).toContain(await open('?target_session_attrs=primary').hostName())
    const client = createClient(urlOf())
    await client.connect()
    expect((await client.query('SELECT name FROM host')).rows).toEqual([{ name: 'first' }])
    await client.end()
    await second.setReadOnly(false)
  })

  test('a host that is away delays nothing, and after a failover the pool goes on with the other', async () => {
    await second.setReadOnly(true)
    const { hostName } = open()
    expect(await hostName()).toBe('first')
    await first.cut()
    await expect(hostName()).rejects.toThrow()
    await second.setReadOnly(false)
    await expect.poll(() => hostName().catch(() => 'none'), { timeout: 5_000 }).toBe('second')
    await first.restore()
    expect(await hostName()).toBe('second')
  })

  test('if none accepts writes, that is said, and counts as a database that is away', async () => {
    await Promise.all([first.setReadOnly(true), second.setReadOnly(true)])
    const { hostName } = open()
    const error = await hostName().catch((reason: Error) => reason)
    expect(String(error)).toMatch(/No host of DATABASE_URL accepts writes now/)
    expect(classifyError(error)).toBe('unavailable')
    expect(['first', 'second']).toContain(await open('?target_session_attrs=any').hostName())
    await Promise.all([first.cut(), second.cut()])
    const refused = await hostName().catch((reason: Error) => reason)
    expect([String(refused), classifyError(refused)]).toEqual([
      expect.stringMatching(/ECONNREFUSED/),
      'unavailable',
    ])
    await Promise.all([first.restore(), second.restore()])
    await Promise.all([first.setReadOnly(false), second.setReadOnly(false)])
    await expect.poll(() => hostName().catch(() => 'none')).not.toBe('none')
  })
})

describe('the setting', () => {
  const problemsOf = (url: string) => {
    const result = readConfig({ DATABASE_URL: url, DEMO: '1' })
    return result.ok ? '' : result.problems.join('\n')
  }

  test.each([
    'postgres://u:p@a:5432,b:5433,[::1]:5434/db',
    'postgres://u@a,b/db?target_session_attrs=primary&sslmode=require',
    'postgresql://a,b/db',
    'postgres://u@/db?host=/run/postgresql',
    'postgres://u:a,b@c,d@a:5432/db',
  ])('%s is accepted', (url) => {
    expect(problemsOf(url)).not.toContain('DATABASE_URL')
  })

  test('a comma in a password separates no hosts', () => {
    const url = 'postgres://u:a,b@c,d@host/db'
    expect(listServers(url)).toEqual([url])
    expect(listServers('postgres://u:a,b@one,two:5433/db?x=1,2')).toEqual([
      'postgres://u:a,b@one/db?x=1,2',
      'postgres://u:a,b@two:5433/db?x=1,2',
    ])
  })

  test.each([
    ['postgres://u:a,b@c,d@host:1/db', 'postgres://u:a,b@c,d@node:5433/db'],
    [
      'postgres://u@a,b:2/db?target_session_attrs=any&sslmode=require',
      'postgres://u@node:5433/db?sslmode=require',
    ],
    ['postgres:///db?host=/run/postgresql&port=1', 'postgres://node:5433/db?'],
    [
      'postgres://u@/db?sslmode=require&options=-c%20a%3Db',
      'postgres://u@node:5433/db?sslmode=require&options=-c%20a%3Db',
    ],
  ])('%s at another server', (url, expected) => {
    expect(atServer(url, 'node', 5433)).toBe(expected)
    expect(atServer(url, '::1', 5433)).toBe(expected.replace('node', '[::1]'))
  })

  test.each([
    ['postgres://u:p@a:5432,b:port/db', /several hosts are written as host1:5432,host2:5432/],
    ['postgres://u:p@a,/db', /not a valid URL/],
    [
      'postgres://u:p@a,b/db?target_session_attrs=standby',
      /target_session_attrs must be read-write, primary, any/,
    ],
  ])('%s is refused', (url, problem) => {
    expect(problemsOf(url)).toMatch(problem)
  })
})
