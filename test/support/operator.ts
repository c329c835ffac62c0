/**
 * The computer of an operator, in a folder: a checkout, the installed program, and a PostgreSQL that takes nothing but
 * TLS and passwords. There is no systemd: two small programs stand in for `systemctl` and `journalctl`, and run what
 * the unit says with the settings that it names.
 */
import { execFileSync } from 'node:child_process'
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '../../src/database/pool.ts'
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../src/embedded-postgres/embedded-postgres.ts'
import { packageRoot } from '../../src/package-root.ts'

export interface OperatorsComputer {
  readonly folder: string
  readonly env: Record<string, string>
  /** Puts this computer's places, ports and hosts where a guide has those of a real one. */
  inPlace(text: string): string
  remove(): Promise<void>
}

const passwordOfSuperuser = 'password-of-the-superuser'

export async function createOperatorsComputer(): Promise<OperatorsComputer> {
  const folder = await mkdtemp(join(tmpdir(), 'lw-operator-'))
  // As root, PostgreSQL runs as another user, who has to pass through here.
  await chmod(folder, 0o755)
  const [port, databasePort] = await findFreePorts()
  const inPlace = (text: string) =>
    text
      .replaceAll(/(?<![\w.])\/(?=(?:etc|opt|var)\/)/g, `${folder}/`)
      .replaceAll('/usr/bin/node ', `${process.execPath} `)
      .replaceAll('db.example.com:5432', `127.0.0.1:${databasePort}`)
      .replaceAll('db.example.com', '127.0.0.1')
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)
  const env = {
    PATH: [join(folder, 'stand-ins'), process.env.PATH].join(delimiter),
    HOME: folder,
    PGPASSWORD: passwordOfSuperuser,
    PGPORT: String(databasePort),
    PGSSLMODE: 'verify-full',
    PGSSLROOTCERT: join(folder, 'etc/ssl/database-ca.pem'),
    PORT: String(port),
  }
  const server = await startServer(join(folder, 'postgres'), databasePort)
  await install(folder, inPlace)
  return {
    folder,
    env,
    inPlace,
    async remove() {
      execFileSync('systemctl', ['stop', 'loyalty-wallet'], { env })
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function findFreePorts(): Promise<[number, number]> {
  const servers = await Promise.all(
    [1, 2].map(async () => {
      const server = createServer().listen(0, '127.0.0.1')
      await new Promise((done) => server.once('listening', done))
      return server
    }),
  )
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))))
  return [ports[0]!, ports[1]!]
}

async function startServer(data: string, port: number): Promise<EmbeddedPostgres> {
  const settings = { listen_addresses: '127.0.0.1', port: String(port), autovacuum: 'off' }
  const server = await startEmbeddedPostgres({ folder: data, settings })
  const make =
    'req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=database -keyout server.key -out server.crt'
  const names = ['-addext', 'subjectAltName=IP:127.0.0.1']
  execFileSync('openssl', [...make.split(' '), ...names], { cwd: data, stdio: 'pipe' })
  const { uid, gid } = await stat(data)
  await chmod(join(data, 'server.key'), 0o600)
  if (process.getuid?.() === 0) await chown(join(data, 'server.key'), uid, gid)
  await writeFile(
    join(data, 'pg_hba.conf'),
    'local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n',
  )
  const client = createClient(server.connection)
  await client.connect()
  await client.query('ALTER SYSTEM SET ssl = on')
  await client.query(`CREATE ROLE postgres SUPERUSER LOGIN PASSWORD '${passwordOfSuperuser}'`)
  await client.query('SELECT pg_reload_conf()')
  await client.end()
  return server
}

/** What is there before the first command, besides the system. */
async function install(folder: string, inPlace: (text: string) => string): Promise<void> {
  const folders = ['etc/ssl', 'etc/systemd/system', 'etc/cron.daily', 'opt/loyalty-wallet/bin', 'stand-ins']
  for (const path of folders) await mkdir(join(folder, path), { recursive: true })
  await cp(join(packageRoot, 'deploy'), join(folder, 'deploy'), { recursive: true })
  const unit = join(folder, 'deploy/loyalty-wallet.service')
  await writeFile(unit, inPlace(await readFile(unit, 'utf8')))
  await cp(join(folder, 'postgres/server.crt'), join(folder, 'etc/ssl/database-ca.pem'))
  const program = pathToFileURL(join(packageRoot, 'dist/whole-loyalty-wallet.js'))
  const scripts = {
    'opt/loyalty-wallet/bin/loyalty-wallet': `#!${process.execPath}\nimport('${program}')\n`,
    'stand-ins/systemctl': systemctl(folder),
    'stand-ins/journalctl': `#!/bin/sh\ncat '${folder}/journal'\n`,
  }
  for (const [path, text] of Object.entries(scripts))
    await writeFile(join(folder, path), text, { mode: 0o755 })
}

/** As systemd does it: the program of the unit, with its settings and nothing else, and what it prints in a log. */
const systemctl = (folder: string) => `#!/bin/bash
set -eu
cd '${folder}'
unit=etc/systemd/system/loyalty-wallet.service
field() { sed -n "s/^$1=//p" "$unit" | sed 's#%S#${folder}/var/lib#g'; }
is_running() { [ -f service.pid ] && kill -0 "$(cat service.pid)" 2>/dev/null; }
stop() {
  is_running || return 0
  kill "$(cat service.pid)"
  while is_running; do sleep 0.05; done
}
start() {
  (
    set -a; . "$(field EnvironmentFile)"; set +a
    # Events of this test go to this computer.
    exec env -i PATH="$PATH" PORT="$PORT" WEBHOOK_ALLOWED_RANGES=127.0.0.0/8 $(field Environment) \\
      $(sed 's/=.*//' "$(field EnvironmentFile)" | while read -r name; do printf '%s=%s ' "$name" "\${!name}"; done) \\
      $(field ExecStart)
  ) >> journal 2>&1 < /dev/null &
  echo $! > service.pid
}
case "$*" in
  daemon-reload) test -f "$unit" ;;
  'enable --now loyalty-wallet') start ;;
  'restart loyalty-wallet') stop; start ;;
  'stop loyalty-wallet') stop ;;
  'status loyalty-wallet') is_running && echo 'active (running)' ;;
  *) echo "The stand-in for systemctl cannot do this: $*" >&2; exit 1 ;;
esac
`
