import { createReadStream } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Command } from 'commander'
import type { ImportCounts, ImportKind } from '../domain/import.ts'
import { guessMapping, isField, type Mapping } from '../files/columns.ts'
import { createFileHash } from '../files/file-hash.ts'
import { createRowMapper } from '../files/map-row.ts'
import { FileError, type FileRecord, formatOf } from '../files/read-file.ts'
import { type DateOrder, guessDateOrder } from '../files/read-values.ts'
import { cutPieces, sendPieces } from '../files/send-rows.ts'
import { addCommand, type CommandOutput, type Context } from './command.ts'
import { findCredentials } from './credentials.ts'
import { Failure, misused } from './failure.ts'
import { type FileService, openFileService, readServiceSetup, type ServiceSetup } from './file-service.ts'
import { readSource, type Source } from './import-source.ts'
import { createPace } from './pace.ts'
import { toProblemLines, writeRejected } from './rejected-rows.ts'

interface ImportOptions {
  url?: string
  profile?: string
  campaign?: string
  map?: string
  saveMap?: string
  column: string[]
  dryRun?: boolean
  update?: boolean
  total: boolean
  format?: string
  encoding: string
  dates?: string
  rejected?: string
  again?: boolean
  atOnce: string
}

/** Adds `import` to the command of a kind: `customers import`. */
export function addImportCommand(parent: Command, context: Context, kind: ImportKind): void {
  const command = addCommand(
    parent,
    'import',
    `Import ${kind} from a file in CSV or NDJSON. Run it again to resume.`,
    [
      `loyalty-wallet ${kind} import ${kind}.csv --dry-run`,
      `loyalty-wallet ${kind} import ${kind}.csv${kind === 'customers' ? ' --campaign cmp_…' : ''}`,
      `loyalty-wallet ${kind} import ${kind}.csv --column "Name=${kind === 'customers' ? 'fullname' : 'name'}" --save-map map.json`,
    ],
  )
    .argument('<file>', 'a file in UTF-8 whose first row names the columns, or with one JSON object a line')
    .option('--dry-run', 'check every row and store nothing')
    .option('--map <file>', 'the meaning of the columns, as --save-map wrote it')
    .option('--save-map <file>', 'keep the meaning of the columns')
    .option('--column <name=field>', 'the meaning of one column; "Name=" ignores it', collect, [])
    .option('--update', 'replace what is known already with what the file says (default: leave it alone)')
    .option('--rejected <file>', 'where rows with problems go (default: the name with .rejected)')
    .option('--format <format>', 'csv or ndjson (default: by the name of the file)')
    .option('--encoding <name>', 'utf-8 or windows-1252', 'utf-8')
    .option('--again', 'begin anew instead of resuming what was interrupted')
    .option('--at-once <count>', 'how many requests to send at once', '2')
    .option('--url <address>', 'URL of the service (default: that of the profile, or of the demo)')
    .option('--profile <name>', 'credentials stored by "login" under this name')
  if (kind === 'customers')
    command
      .option('--campaign <id or name>', 'give everyone a card of this campaign')
      .option('--dates <order>', 'dmy or mdy, for days such as 03/04/2027')
      .option('--no-total', 'do not count opening balances toward the lifetime total')
  command
    .addHelpText('after', '\nExits with 1 if rows were rejected.')
    .action(async (file: string, options: ImportOptions) =>
      context.report(await importFile(context, kind, file, options)),
    )
}

const collect = (value: string, all: string[]) => [...all, value]

/** A file, as far as it has to be known before its first row is sent. */
interface Scanned {
  readonly hash: string
  readonly rows: number
  readonly columns: readonly string[]
  readonly sample: readonly FileRecord[]
}

async function importFile(
  context: Context,
  kind: ImportKind,
  path: string,
  options: ImportOptions,
): Promise<CommandOutput> {
  const source = toSource(path, options)
  const scanned = await scan(source)
  const credentials = await findCredentials(context.env, options)
  const service = openFileService(credentials)
  try {
    const setup = await readServiceSetup(service, kind)
    const mapping = await chooseMapping(setup, scanned, options)
    const campaign = chooseCampaign(setup, mapping, options)
    describeMapping(context, scanned, mapping)
    const request = {
      kind,
      campaign,
      dryRun: options.dryRun ?? false,
      existing: options.update ? 'update' : 'keep',
      countTowardTotal: options.total,
      fileName: basename(path),
      fileHash: scanned.hash,
      columns: mapping,
    }
    const begun = await beginOrResume(context, service, request, options)
    const dateOrder = chooseDateOrder(setup, scanned, options)
    const toRow = createRowMapper({ kind, mapping, dateOrder })
    await sendAll(context, service, begun, {
      rows: mapped(readSource(source), toRow),
      count: scanned.rows,
      atOnce: readCount(options.atOnce),
    })
    const done = await service.post(`/v1/imports/${begun.id}/finish`, {})
    return await summarize(context, service, source, { ...options, id: String(begun.id) }, done as never)
  } finally {
    service.close()
  }
}

function toSource(path: string, { format, encoding }: ImportOptions): Source {
  if (format !== undefined && format !== 'csv' && format !== 'ndjson')
    throw misused(`--format: "${format}" is neither csv nor ndjson.`)
  if (encoding !== 'utf-8' && encoding !== 'windows-1252')
    throw misused(`--encoding: "${encoding}" is neither utf-8 nor windows-1252.`)
  return { path, format: format ?? formatOf(path), encoding }
}

function readCount(text: string): number {
  if (!/^[1-8]$/.test(text)) throw misused('--at-once: must be a number from 1 to 8.')
  return Number(text)
}

async function* mapped<T, R>(items: AsyncIterable<T>, map: (item: T) => R): AsyncGenerator<R> {
  for await (const item of items) yield map(item)
}

const sampleSize = 1_000

async function scan(source: Source): Promise<Scanned> {
  const found = await stat(source.path).catch(() => undefined)
  if (!found?.isFile()) throw misused(`${source.path}: there is no such file.`)
  const hash = createFileHash()
  for await (const chunk of createReadStream(source.path)) hash.update(chunk as Buffer)
  const sample: FileRecord[] = []
  const columns = new Set<string>()
  let rows = 0
  try {
    for await (const record of readSource(source)) {
      rows++
      if (sample.length >= sampleSize) continue
      sample.push(record)
      for (const name of Object.keys(record.values ?? {})) columns.add(name)
    }
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    throw new Failure(error.code, `${source.path}: ${error.message}`, { exitCode: 2 })
  }
  if (rows === 0) throw misused(`${source.path}: has no rows.`)
  return { hash: hash.digest(), rows, columns: [...columns], sample }
}

/** Kept, then said, and guessed for the rest. */
async function chooseMapping(
  setup: ServiceSetup,
  { columns }: Scanned,
  { map, column, saveMap }: ImportOptions,
): Promise<Mapping> {
  const kept = map === undefined ? guessMapping(columns, setup) : await readMapping(map)
  const mapping: Record<string, string> = Object.fromEntries(
    Object.entries(kept).filter(([name, field]) => columns.includes(name) && field !== ''),
  )
  for (const text of column) {
    const at = text.lastIndexOf('=')
    const [name, field] = [text.slice(0, at), text.slice(at + 1)]
    if (at < 0 || !columns.includes(name))
      throw misused(`--column: the file has no column "${name}". It has: ${columns.join(', ')}.`)
    if (field === '') delete mapping[name]
    else mapping[name] = field
  }
  for (const [name, field] of Object.entries(mapping))
    if (!isField(field, setup))
      throw misused(`The column "${name}" cannot be "${field}". ${fieldAdvice(setup)}`)
  if (Object.keys(mapping).length === 0)
    throw misused(
      `No column is understood. Say what they are with --column "Name=field". ${fieldAdvice(setup)}`,
    )
  if (saveMap !== undefined) await writeFile(saveMap, `${JSON.stringify(mapping, undefined, 2)}\n`)
  return mapping
}

const fieldAdvice = ({ kind, balances }: ServiceSetup) =>
  kind === 'customers'
    ? `Fields are opaqueId, fullname, firstName, lastName, email, phone, language, barcode, consent:marketing, meta:NAME${balances.map(({ key }) => `, balance:${key}, balance:${key}:expires, balance:${key}:total`).join('')}.`
    : `Fields are opaqueId, name${kind === 'products' ? ', category, price' : ''}.`

async function readMapping(path: string): Promise<Mapping> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'))
    if (
      typeof value === 'object' &&
      value !== null &&
      Object.values(value).every((v) => typeof v === 'string')
    )
      return value as Mapping
  } catch {
    // The same advice.
  }
  throw misused(`--map: ${path} is not a file that --save-map wrote.`)
}

function describeMapping(context: Context, { columns }: Scanned, mapping: Mapping): void {
  const known = columns.flatMap((name) => (mapping[name] ? `${name} → ${mapping[name]}` : []))
  const ignored = columns.filter((name) => !mapping[name])
  context.note(`Columns: ${known.join(', ')}`)
  if (ignored.length > 0) context.note(`Ignored: ${ignored.join(', ')}`)
}

/** A balance without a card is of no use, so the campaign has to be known. */
function chooseCampaign(
  { campaignIds, campaigns }: ServiceSetup,
  mapping: Mapping,
  { campaign }: ImportOptions,
): string | undefined {
  if (campaign !== undefined) return campaignIds.get(campaign) ?? campaign
  const fields = Object.values(mapping)
  const namesCards = fields.some((field) => field === 'cards' || field.startsWith('barcode:'))
  const needsOne = fields.some((field) => field === 'barcode' || /^balances?\b/.test(field))
  if (!needsOne || namesCards) return undefined
  throw misused(
    `Add --campaign with the campaign of the cards. ${campaigns.length === 0 ? 'None is published yet: publish one first.' : `There are: ${campaigns.join(', ')}.`}`,
  )
}

function chooseDateOrder(
  { country }: ServiceSetup,
  { sample }: Scanned,
  { dates }: ImportOptions,
): DateOrder {
  if (dates === 'dmy' || dates === 'mdy') return dates
  if (dates !== undefined) throw misused('--dates: must be dmy or mdy.')
  const texts = sample.flatMap(({ values }) => Object.values(values ?? {}).map(String))
  return guessDateOrder(texts) ?? (country === 'US' ? 'mdy' : 'dmy')
}

interface Begun {
  readonly id: string
  readonly lastRow: number
}

/** The same file with the same meaning resumes where it was interrupted. */
async function beginOrResume(
  context: Context,
  service: FileService,
  request: { kind: string; dryRun: boolean; fileHash: string } & Record<string, unknown>,
  { again }: ImportOptions,
): Promise<Begun> {
  const { kind, dryRun, fileHash } = request
  const query = new URLSearchParams({ kind, fileHash, dryRun: String(dryRun), status: 'open' })
  const { data } = await service.get(`/v1/imports?${query}`)
  const isSame = (found: Record<string, unknown>) =>
    ['campaign', 'existing', 'countTowardTotal'].every((name) => found[name] === request[name]) &&
    JSON.stringify(found.columns) === JSON.stringify(request.columns)
  const found = again ? undefined : (data as Record<string, unknown>[]).find(isSame)
  if (!found) return (await service.post('/v1/imports', request)) as unknown as Begun
  context.note(`Resuming after row ${found.lastRow}.`)
  return found as unknown as Begun
}

interface Sending {
  readonly rows: Parameters<typeof cutPieces>[0]
  readonly count: number
  readonly atOnce: number
}

async function sendAll(
  context: Context,
  service: FileService,
  { id, lastRow }: Begun,
  { rows, count, atOnce }: Sending,
): Promise<void> {
  let [done, isStopped] = [0, false]
  const stop = () => {
    isStopped = true
  }
  process.once('SIGINT', stop)
  let pace: ReturnType<typeof createPace> | undefined
  let skipped = 0
  try {
    await sendPieces(cutPieces(rows), {
      doneUntil: lastRow,
      atOnce,
      send: async (piece) => (await service.post(`/v1/imports/${id}/rows`, piece)) as unknown as ImportCounts,
      onDone(rowsDone, counts) {
        // The rate is that of rows that are sent now.
        if (!counts) skipped += rowsDone
        else done += rowsDone
        pace ??= createPace(context, 'rows')
        if (counts) pace(done, count - skipped)
      },
      isStopped: () => isStopped,
    })
  } finally {
    process.off('SIGINT', stop)
  }
  if (isStopped)
    throw new Failure('interrupted', 'Interrupted. Run the same command again to resume where it stopped.', {
      exitCode: 130,
    })
}

interface Finished extends ImportCounts {
  readonly id: string
  readonly dryRun: boolean
}

async function summarize(
  context: Context,
  service: FileService,
  source: Source,
  { id, rejected: target }: { readonly id: string; readonly rejected?: string },
  done: Finished,
): Promise<CommandOutput> {
  const { created, updated, unchanged, rejected, dryRun } = done
  const file = target ?? `${source.path}.rejected.${source.format}`
  const problems = rejected > 0 ? await writeRejected(service, source, id, file) : []
  const would = dryRun ? 'would be ' : ''
  const counts = `${created} ${would}created, ${updated} ${would}updated, ${unchanged} unchanged, ${rejected} ${would}rejected.`
  if (problems.length > 0) context.note(toProblemLines(problems, rejected))
  return {
    text: [
      counts,
      ...(rejected > 0 ? [`Rejected rows, with reasons: ${file}`] : []),
      ...(dryRun ? ['Nothing was stored. Run it without --dry-run to import.'] : []),
    ].join('\n'),
    json: { id, dryRun, created, updated, unchanged, rejected, ...(rejected > 0 && { file, problems }) },
    exitCode: rejected > 0 ? 1 : 0,
  }
}
