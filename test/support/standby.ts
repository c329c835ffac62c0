/** A server with a streaming replica. The embedded programs have no pg_basebackup, so the files are copied. */
import { rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createClient } from '../../src/database/pool.ts'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/embedded-postgres/embedded-postgres.ts'
import { copyServerFolder, makeServerFolder, quickSettings, startOwnServer } from './own-server.ts'

export interface ServerWithReplica {
  readonly primary: EmbeddedPostgres
  readonly replica: EmbeddedPostgres
  close(): Promise<void>
}

const settings = { ...quickSettings, autovacuum: 'off' }

/** `prepare` runs on the primary before it is copied. */
export async function startWithReplica(
  prepare: (primary: EmbeddedPostgres) => Promise<unknown>,
): Promise<ServerWithReplica> {
  const folder = await makeServerFolder()
  const primary = await startOwnServer(join(folder, 'primary'), settings)
  await prepare(primary)
  await copyServer(primary, join(folder, 'primary'), join(folder, 'replica'))
  const { host, port, user, password = '' } = primary.connection
  const replica = await startEmbeddedPostgres({
    folder: join(folder, 'replica'),
    settings: {
      ...settings,
      primary_conninfo: `host=${host} port=${port} user=${user} password='${password}'`,
    },
  })
  return {
    primary,
    replica,
    async close() {
      await replica.stop()
      await primary.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function copyServer({ connection }: EmbeddedPostgres, from: string, to: string): Promise<void> {
  const client = createClient(connection)
  await client.connect()
  try {
    await client.query(`SELECT pg_backup_start('replica', true)`)
    const ofProcess = /^(postmaster\.(pid|opts)|\.s\.PGSQL\..*)$/
    copyServerFolder(from, to, (path) => !ofProcess.test(basename(path)))
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop(false)')
    await writeFile(join(to, 'backup_label'), rows[0].labelfile)
    await writeFile(join(to, 'standby.signal'), '')
  } finally {
    await client.end()
  }
}
