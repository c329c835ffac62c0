/**
 * Writes the files that are generated from the code and committed, so that readers of the repository see them
 * and reviewers see them change. Run by `generate.mjs`.
 */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dumpSchema } from '../src/database/dump-schema.ts'
import { migrate } from '../src/database/migrate.ts'
import { createClient } from '../src/database/pool.ts'
import { startEmbeddedPostgres } from '../src/embedded-postgres/embedded-postgres.ts'
import { packageRoot } from '../src/package-root.ts'
import { describeApi } from './describe-api.ts'
import { describeErrors } from './describe-errors.ts'
import { documentsWithFigures, fillFigures } from './describe-figures.ts'
import { describePython } from './describe-python.ts'
import { describeSdk, operationTable } from './describe-sdk.ts'

const generated: Record<string, () => Promise<string>> = {
  'openapi.json': describeApi,
  'sdk/src/operations.ts': async () => describeSdk(await describeApi()),
  'sdk/python/loyalty_wallet.py': describePythonSdk,
  'docs/errors.md': async () => describeErrors(),
  'schema.sql': describeSchema,
  ...Object.fromEntries(documentsWithFigures.map((path) => [path, () => describeFigures(path)])),
}

const isCheck = process.argv.includes('--check')
const stale: string[] = []
for (const [path, write] of Object.entries(generated)) {
  const file = join(packageRoot, path)
  const text = await write()
  if ((await readFile(file, 'utf8').catch(() => undefined)) === text) continue
  stale.push(path)
  if (!isCheck) await writeFile(file, text)
}
if (stale.length === 0) {
  console.log(`Generated files are up to date: ${Object.keys(generated).join(', ')}`)
} else if (isCheck) {
  console.error(`Stale: ${stale.join(', ')}. Run: npm run generate`)
  process.exitCode = 1
} else {
  console.log(`Written: ${stale.join(', ')}`)
}

async function describePythonSdk(): Promise<string> {
  const document = await describeApi()
  const file = await readFile(join(packageRoot, 'sdk/python/loyalty_wallet.py'), 'utf8')
  return describePython(file, document, operationTable(document))
}

/** The document with the newest results in their places. */
async function describeFigures(path: string): Promise<string> {
  return fillFigures(await readFile(join(packageRoot, path), 'utf8'))
}

/** The schema after all migrations, read from a temporary database. */
async function describeSchema(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lw-generate-'))
  // Under root, PostgreSQL runs as another user, who needs access to this folder.
  await chmod(folder, 0o755)
  try {
    const server = await startEmbeddedPostgres({
      folder: join(folder, 'postgres'),
      settings: { fsync: 'off', full_page_writes: 'off' },
    })
    try {
      await migrate(server.connection)
      const client = createClient(server.connection)
      await client.connect()
      try {
        return await dumpSchema(client)
      } finally {
        await client.end()
      }
    } finally {
      await server.stop()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
