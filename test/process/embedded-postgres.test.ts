import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { canWrite } from '../../src/database/can-write.ts'
import { createClient, type EmbeddedConnection, openPool } from '../../src/database/pool.ts'
import { findEmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.ts'
import { isAlive, readPostmasterFile } from '../../src/embedded-postgres/postmaster-file.ts'
import { packageRoot } from '../../src/package-root.ts'
import { isFull } from '../support/full.ts'
import { buildSupervisor, kill, type SupervisorProgram } from './spawn-supervisor.ts'

const isRoot = process.getuid?.() === 0

let supervisor: SupervisorProgram
let temporary: string
/** Nothing is there yet. */
let folder: string
let shared: string
/** Holds a database already, of the tests before: most have no need of a new one, which takes longer than they do. */
let used: string

beforeAll(async () => {
  supervisor = await buildSupervisor()
  shared = await makeTemporary()
  used = join(shared, 'postgres')
})
afterAll(async () => {
  await supervisor.remove()
  await rm(shared, { recursive: true, force: true })
})

beforeEach(async () => {
  temporary = await makeTemporary()
  folder = join(temporary, 'postgres')
})
afterEach(async () => {
  await endServer(used)
  await endServer(folder)
  await rm(temporary, { recursive: true, force: true })
})

async function makeTemporary(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'lw-emb-'))
  await chmod(path, 0o755)
  return path
}

describe('life', () => {
  test('the first start creates a database, the next one finds what it held', async () => {
    const first = await startEmbeddedPostgres({ folder })
    expect(first.origin).toBe('created')
    await query(first.connection, 'CREATE TABLE kept AS SELECT 7 AS value')
    const pid = first.pid()!
    await first.stop()
    await first.stop()
    expect(await isAlive(pid)).toBe(false)
    expect(await readPostmasterFile(folder)).toBeUndefined()

    const second = await startEmbeddedPostgres({ folder })
    expect(second.origin).toBe('started')
    expect(await query(second.connection, 'SELECT value FROM kept')).toEqual([{ value: 7 }])
    await second.stop()
  })

  test('can be written to only while it can commit, which waits for a synchronous standby', async () => {
    const server = await startEmbeddedPostgres({ folder: used })
    const pool = openPool(server.connection)
    try {
      expect(await canWrite(pool)).toBe(true)
      const waitFor = async (standbys: string) => {
        await query(server.connection, `ALTER SYSTEM SET synchronous_standby_names = '${standbys}'`)
        await query(server.connection, 'SELECT pg_reload_conf()')
        await until(
          async () =>
            (await query(server.connection, 'SHOW synchronous_standby_names'))[0]
              ?.synchronous_standby_names === standbys,
        )
      }
      await waitFor('nobody')
      const asked = canWrite(pool)
      expect(await Promise.race([asked, sleep(500, 'still waiting')])).toBe('still waiting')
      // Everything else succeeds meanwhile.
      expect(await query(server.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
      await waitFor('')
      expect(await asked).toBe(true)
    } finally {
      await pool.end()
      await server.stop()
    }
  })

  test('the server is safe against power cuts, off the network, private, and independent of the locale', async () => {
    const server = await startEmbeddedPostgres({ folder: used })
    const setting = async (name: string) => (await query(server.connection, `SHOW ${name}`))[0]?.[name]
    for (const name of ['fsync', 'synchronous_commit', 'full_page_writes', 'data_checksums']) {
      expect([name, await setting(name)]).toEqual([name, 'on'])
    }
    expect(await setting('listen_addresses')).toBe('')
    expect(await setting('TimeZone')).toBe('UTC')
    expect((await stat(server.connection.host)).mode & 0o777).toBe(0o700)
    const sql = `SELECT pg_encoding_to_char(encoding) AS encoding, datlocprovider AS provider, datlocale AS locale
                 FROM pg_database WHERE datname = current_database()`
    expect(await query(server.connection, sql)).toEqual([
      { encoding: 'UTF8', provider: 'b', locale: 'C.UTF-8' },
    ])
    // Its own process group, so that Ctrl-C in a terminal does not reach it.
    if (process.platform === 'linux') expect(await processGroup(server.pid()!)).toBe(server.pid())
    await server.stop()
  })

  test('a command line tool finds the running server, and none when it is stopped', async () => {
    expect(await findEmbeddedPostgres(folder)).toBeUndefined()
    const server = await startEmbeddedPostgres({ folder: used })
    expect(await findEmbeddedPostgres(used)).toEqual(server.connection)
    await server.stop()
    expect(await findEmbeddedPostgres(used)).toBeUndefined()
  })

  test('a server that dies is started again, and the pool goes on with it', async () => {
    const server = await startEmbeddedPostgres({ folder: used })
    const pool = openPool(server.connection)
    await pool.query('SELECT 1')
    const dead = server.pid()!
    process.kill(dead, 'SIGKILL')
    await until(async () => server.pid() !== undefined && server.pid() !== dead)
    // The connections of the dead server may fail once each; the process does not.
    await until(async () => (await pool.query('SELECT 1').catch(() => undefined)) !== undefined)
    await pool.end()
    await server.stop()
  })

  test('stop while a restart has to wait for a statement of the dead server does not wait for it', {
    skip: !isFull,
  }, async () => {
    const server = await startEmbeddedPostgres({ folder: used })
    const { backend, ended } = await loop(server.connection, '60 seconds')
    const log = () => readFile(`${used}.log`, 'utf8')
    const { length } = await log()
    process.kill(server.pid()!, 'SIGKILL')
    await until(async () => (await log()).slice(length).includes('pre-existing shared memory block'))
    await server.stop()
    expect(await isAlive(backend)).toBe(true)
    process.kill(backend, 'SIGKILL')
    await ended
  })

  test('stop in the middle of a restart leaves no server behind', { skip: !isFull }, async () => {
    const server = await startEmbeddedPostgres({ folder: used })
    process.kill(server.pid()!, 'SIGKILL')
    await until(async () => server.pid() === undefined)
    await server.stop()
    expect(await readPostmasterFile(used).then((file) => file && isAlive(file.pid))).toBeFalsy()
    const again = await startEmbeddedPostgres({ folder: used })
    await again.stop()
  })
})

describe('two processes', () => {
  test('after kill -9 of the service its server is adopted, with what was acknowledged', async () => {
    const first = await supervisor.start(used)
    await query(first.report.connection, 'CREATE TABLE acknowledged AS SELECT 1 AS value')
    await kill(first.process, 'SIGKILL')
    expect(await isAlive(first.report.pid)).toBe(true)

    const second = await startEmbeddedPostgres({ folder: used })
    expect(second).toMatchObject({ origin: 'adopted', connection: first.report.connection })
    expect(second.pid()).toBe(first.report.pid)
    expect(await query(second.connection, 'SELECT value FROM acknowledged')).toEqual([{ value: 1 }])

    // An adopted server is watched like one of our own.
    process.kill(first.report.pid, 'SIGKILL')
    await until(async () => ![undefined, first.report.pid].includes(second.pid()))
    expect(await query(second.connection, 'SELECT value FROM acknowledged')).toEqual([{ value: 1 }])
    await second.stop()
    expect(await readPostmasterFile(used)).toBeUndefined()
  })

  test('after kill -9 of both, the next start recovers', async () => {
    const first = await supervisor.start(used)
    await query(first.report.connection, 'CREATE TABLE recovered AS SELECT 1 AS value')
    await kill(first.process, 'SIGKILL')
    process.kill(first.report.pid, 'SIGKILL')
    const second = await startEmbeddedPostgres({ folder: used })
    expect(await query(second.connection, 'SELECT value FROM recovered')).toEqual([{ value: 1 }])
    await second.stop()
  })

  test('after kill -9 of both in the middle of a statement, the next start waits for its end', {
    skip: !isFull,
  }, async () => {
    const first = await supervisor.start(used)
    const { ended } = await loop(first.report.connection, '1.5 seconds')
    await kill(first.process, 'SIGKILL')
    process.kill(first.report.pid, 'SIGKILL')
    const second = await startEmbeddedPostgres({ folder: used })
    expect(await query(second.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    await second.stop()
    await ended
  })

  test('a second service on the same folder is told who uses it, and disturbs nothing', async () => {
    const first = await startEmbeddedPostgres({ folder: used })
    const { report } = await supervisor.start(used)
    expect(report.error?.name).toBe('FolderInUseError')
    expect(report.error?.message).toContain(`process ${process.pid}`)
    expect(report.error?.message).toContain('DATA_DIR')
    expect(await query(first.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    await first.stop()
  })

  test.runIf(isFull)('of several that start at once on an empty folder exactly one gets it', async () => {
    const started = await Promise.all([1, 2, 3].map(() => supervisor.start(folder)))
    const winners = started.filter(({ report }) => !report.error)
    expect(winners).toHaveLength(1)
    for (const { report } of started.filter((child) => child !== winners[0])) {
      expect(report.error?.name).toBe('FolderInUseError')
    }
    expect(await query(winners[0]!.report.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    await kill(winners[0]!.process, 'SIGTERM')
    expect(await readPostmasterFile(folder)).toBeUndefined()
  })

  test('a pid file whose number now belongs to another program is cleared', { skip: !isFull }, async () => {
    const first = await startEmbeddedPostgres({ folder: used })
    const content = await readFile(join(used, 'postmaster.pid'), 'utf8')
    await first.stop()
    await writeFile(join(used, 'postmaster.pid'), content.replace(/^\d+/, String(process.pid)))
    const second = await startEmbeddedPostgres({ folder: used })
    expect(second.origin).toBe('started')
    await second.stop()
  })

  test.each(isFull ? [200, 400, 700] : [400])(
    'a service killed %i ms after its very first start leaves nothing in the way',
    async (ms) => {
      const first = supervisor.spawn(folder)
      await sleep(ms)
      await kill(first, 'SIGKILL')
      const second = await startEmbeddedPostgres({ folder })
      expect(await query(second.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
      await second.stop()
    },
  )

  test('what a killed initdb left behind does not get in the way', { skip: !isFull }, async () => {
    await mkdir(`${folder}.new-1`)
    await writeFile(join(`${folder}.new-1`, 'PG_VERSION'), '18\n')
    const server = await startEmbeddedPostgres({ folder })
    await server.stop()
    expect((await readdir(temporary)).sort()).toEqual(['postgres', 'postgres.log'])
  })
})

describe('awkward places', () => {
  test.runIf(isFull)(
    'a path longer than a socket address, with spaces, quotes and a dollar sign, also after kill -9',
    async () => {
      folder = join(temporary, `it's "$HOME" \\ %s`, 'a'.repeat(120), 'ü'.repeat(60), 'postgres')
      const first = await supervisor.start(folder)
      const { host, port } = first.report.connection
      expect(Buffer.byteLength(join(host, `.s.PGSQL.${port}`))).toBeLessThanOrEqual(103)
      expect(await query(first.report.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
      await kill(first.process, 'SIGKILL')
      const second = await startEmbeddedPostgres({ folder })
      expect(second).toMatchObject({ origin: 'adopted', connection: first.report.connection })
      await second.stop()
      await expect(stat(host)).rejects.toThrow('ENOENT')
      const third = await startEmbeddedPostgres({ folder })
      await third.stop()
      await expect(stat(third.connection.host)).rejects.toThrow('ENOENT')
    },
  )

  test.runIf(isRoot)('a folder that only root may enter', { skip: !isFull }, async () => {
    const secret = join(temporary, 'secret')
    await mkdir(secret, { mode: 0o700 })
    folder = join(secret, 'data', 'postgres')
    const first = await startEmbeddedPostgres({ folder })
    await query(first.connection, 'CREATE TABLE kept AS SELECT 7 AS value')
    await first.stop()

    // Opened up later, the same data goes to an ordinary user, if that user can reach the programs too.
    await chmod(secret, 0o755)
    const second = await startEmbeddedPostgres({ folder })
    expect((await stat(folder)).uid === 0).toBe(!(await isOpenToAll(packageRoot)))
    expect(await query(second.connection, 'SELECT value FROM kept')).toEqual([{ value: 7 }])
    await second.stop()

    // And back again, where a server that was left behind is found too.
    await chmod(secret, 0o700)
    const third = await supervisor.start(folder)
    await kill(third.process, 'SIGKILL')
    const fourth = await startEmbeddedPostgres({ folder })
    expect(fourth.origin).toBe('adopted')
    expect(await query(fourth.connection, 'SELECT value FROM kept')).toEqual([{ value: 7 }])
    await fourth.stop()
  })

  test('a folder with something else in it is refused and left as it is', async () => {
    await mkdir(folder)
    await writeFile(join(folder, 'photo.jpg'), '')
    await expect(startEmbeddedPostgres({ folder })).rejects.toThrow('not a PostgreSQL data folder')
    expect(await readdir(folder)).toEqual(['photo.jpg'])
  })

  test('data of another major version is refused with the way out', async () => {
    await mkdir(folder)
    await writeFile(join(folder, 'PG_VERSION'), '14\n')
    await expect(startEmbeddedPostgres({ folder })).rejects.toThrow('POSTGRES_BIN')
  })

  test('a POSTGRES_BIN without programs is refused', async () => {
    await expect(startEmbeddedPostgres({ folder, binFolder: temporary })).rejects.toThrow('POSTGRES_BIN')
  })

  test('a server that cannot start says why, and the folder is free again', async () => {
    const first = await startEmbeddedPostgres({ folder: used })
    await first.stop()
    const broken = startEmbeddedPostgres({ folder: used, settings: { shared_buffers: 'plenty' } })
    await expect(broken).rejects.toThrow('shared_buffers')
    const second = await startEmbeddedPostgres({ folder: used })
    await second.stop()
  })
})

async function query(connection: EmbeddedConnection, sql: string): Promise<Record<string, unknown>[]> {
  const client = createClient(connection)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** A statement that is busy for that long and notices nothing; its process, and when it is over. */
async function loop(
  connection: EmbeddedConnection,
  time: string,
): Promise<{ backend: number; ended: Promise<unknown> }> {
  const client = createClient(connection, { statementTimeoutMs: 0, queryTimeoutMs: 0 })
  await client.connect()
  const [row] = (await client.query('SELECT pg_backend_pid() AS pid')).rows
  const sql = `DO $$ DECLARE until timestamptz := clock_timestamp() + '${time}';
               BEGIN WHILE clock_timestamp() < until LOOP END LOOP; END $$`
  const ended = client.query(sql).catch(() => {})
  const isBusy = `SELECT FROM pg_stat_activity WHERE pid = ${row.pid} AND query LIKE 'DO %' AND state = 'active'`
  await until(async () => (await query(connection, isBusy)).length === 1)
  return { backend: row.pid, ended }
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(10)
}

async function processGroup(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[2])
}

/** A failed test must not leave its server running. */
async function endServer(dataFolder: string): Promise<void> {
  const file = await readPostmasterFile(dataFolder)
  if (!file || !(await isAlive(file.pid)) || file.pid === process.pid) return
  process.kill(file.pid, 'SIGQUIT')
  await until(async () => !(await isAlive(file.pid)))
}

/** Whether anybody may enter a folder: it and everything above it lets others pass. */
async function isOpenToAll(path: string): Promise<boolean> {
  for (let at = path; ; at = dirname(at)) {
    if (((await stat(at)).mode & 0o001) === 0) return false
    if (dirname(at) === at) return true
  }
}
