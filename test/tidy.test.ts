/**
 * Reads the tree and holds the house to its rules: who may import whom, what files are called, where settings
 * and SQL are read, and that the papers speak of what is there. A failure lists every place at once.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type RefusalCode, refusals } from '../src/domain/refusal.ts'
import { refusalAnswers } from '../src/http/errors/refusals.ts'
import { packageRoot } from '../src/package-root.ts'

interface SourceFile {
  /** From the root of the package, with slashes: `src/domain/ids.ts`. */
  readonly path: string
  readonly text: string
  readonly imports: readonly Import[]
}

interface Import {
  /** A package, or for our own files their path from the root. */
  readonly from: string
  readonly names: readonly string[]
  readonly isTypeOnly: boolean
}

const unread = new Set(['node_modules', 'dist', 'data', '.git', 'coverage'])

function listFiles(folder: string): string[] {
  return readdirSync(join(packageRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    if (unread.has(entry.name)) return []
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    return entry.isDirectory() ? listFiles(path) : [path]
  })
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(packageRoot, path), 'utf8')
  return { path, text, imports: readImports(path, text) }
}

const importPattern = /^(?:import|export)\s+(type\s+)?(?:([^'";]*?)\s+from\s+)?'([^']+)'/gm

function readImports(path: string, text: string): Import[] {
  return [...text.matchAll(importPattern)].map(([, type, clause = '', from = '']) => ({
    from: from.startsWith('.') ? normalize(join(dirname(path), from)).replaceAll('\\', '/') : from,
    isTypeOnly: type !== undefined,
    // `type X` inside a list is a type too, and types cost and couple nothing at run time.
    names: [...clause.matchAll(/(?:^|[{,])\s*(type\s+)?([A-Za-z_$][\w$]*)/g)].flatMap(([, isType, name]) =>
      isType || type ? [] : name!,
    ),
  }))
}

const allPaths = listFiles('')
const sources = allPaths.filter((path) => /^src\/.*\.ts$/.test(path)).map(readSource)
const isTest = ({ path }: SourceFile) => /\.(?:test|fixture)\.ts$/.test(path)
const production = sources.filter((file) => !isTest(file))
const pages = allPaths.filter((path) => /^console\/.*\.tsx?$/.test(path)).map(readSource)
const inRoom = (room: string) => production.filter(({ path }) => path.startsWith(`src/${room}/`))

/** Every line of the files that matches, as `path:line: text`. */
function linesMatching(files: readonly SourceFile[], pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, i) => (pattern.test(line) ? `${path}:${i + 1}: ${line.trim()}` : [])),
  )
}

/** What each room may import of ours: whole rooms, single files, and its own files always. */
const mayImport: Record<string, readonly string[]> = {
  domain: [],
  engine: ['src/domain/'],
  database: ['src/package-root.ts'],
  'embedded-postgres': ['src/database/', 'src/package-root.ts'],
  store: ['src/domain/', 'src/database/'],
  operations: ['src/domain/', 'src/engine/', 'src/store/', 'src/database/classify-error.ts'],
  http: [
    'src/domain/',
    'src/operations/',
    'src/store/',
    'src/engine/definition/',
    'src/engine/rules/',
    'src/database/classify-error.ts',
    'src/package-root.ts',
  ],
  jobs: ['src/domain/', 'src/operations/', 'src/store/'],
  demo: [
    'src/domain/',
    'src/operations/',
    'src/store/',
    'src/engine/clock/',
    'src/http/plugins/request-log.ts',
    'src/http/plugins/session-cookie.ts',
    'src/http/server.ts',
    'src/app/secrets-file.ts',
  ],
  app: [
    'src/domain/',
    'src/operations/',
    'src/store/',
    'src/database/',
    'src/embedded-postgres/',
    'src/http/',
    'src/jobs/',
    'src/config.ts',
    'src/demo/',
    'src/package-root.ts',
  ],
  cli: [
    'src/domain/',
    'src/operations/',
    'src/store/',
    'src/database/',
    'src/embedded-postgres/',
    'src/app/',
    'src/http/redaction/logger.ts',
    'src/config.ts',
    'src/package-root.ts',
  ],
}

describe('rooms', () => {
  test.each(Object.entries(mayImport))('%s imports only what it may', (room, allowed) => {
    const wrong = inRoom(room).flatMap(({ path, imports }) =>
      imports
        .filter(({ from }) => from.startsWith('src/') && !from.startsWith(`src/${room}/`))
        .filter(({ from }) => !allowed.some((one) => from.startsWith(one)))
        .map(({ from }) => `${path} imports ${from}`),
    )
    expect(wrong).toEqual([])
  })

  test('the demo is opened where the service is started, and known nowhere else', () => {
    const users = production.filter(({ path, imports }) =>
      imports.some(({ from }) => from.startsWith('src/demo/') && !path.startsWith('src/demo/')),
    )
    expect(users.map(({ path }) => path)).toEqual(['src/app/serve.ts'])
  })

  test('every folder of src is a room with rules', () => {
    const rooms = new Set(sources.flatMap(({ path }) => path.split('/').slice(1, -1).slice(0, 1)))
    expect([...rooms].sort()).toEqual(
      Object.keys(mayImport)
        .filter((room) => rooms.has(room))
        .sort(),
    )
  })

  test('http and cli ask the store only to find and list; everything else goes through operations', () => {
    const spine = ['inTransaction', 'platformOrg', 'platformTenant', 'tenantOf']
    const wrong = [...inRoom('http'), ...inRoom('cli')].flatMap(({ path, imports }) =>
      imports
        .filter(({ from }) => from.startsWith('src/store/'))
        .flatMap(({ from, names }) => names.map((name) => ({ from, name })))
        .filter(({ name }) => !/^(?:find|list)[A-Z]/.test(name) && !spine.includes(name))
        .map(({ from, name }) => `${path} imports ${name} of ${from}`),
    )
    expect(wrong).toEqual([])
  })

  test('domain and engine are pure: no I/O, no clock, no randomness', () => {
    const pure = [...inRoom('domain'), ...inRoom('engine')]
    const packages = pure.flatMap(({ path, imports }) =>
      imports
        .filter(({ from, isTypeOnly }) => !isTypeOnly && !from.startsWith('src/'))
        .filter(({ from }) => !/^(?:typebox|libphonenumber-js)(?:\/|$)/.test(from))
        .map(({ from }) => `${path} imports ${from}`),
    )
    expect(packages).toEqual([])
    expect(linesMatching(pure, /Date\.now\(|new Date\(\)|Math\.random|performance\.now|process\./)).toEqual(
      [],
    )
  })

  test('no file imports itself by way of others, not even for a type', () => {
    const files = [...production, ...pages]
    const byPath = new Map(files.map((file) => [file.path, file]))
    const isDone = new Set<string>()
    const cycles: string[] = []
    const visit = (path: string, way: readonly string[]) => {
      if (way.includes(path)) cycles.push([...way.slice(way.indexOf(path)), path].join(' → '))
      if (way.includes(path) || isDone.has(path)) return
      for (const { from } of byPath.get(path)?.imports ?? []) visit(from, [...way, path])
      isDone.add(path)
    }
    for (const { path } of files) visit(path, [])
    expect(cycles).toEqual([])
  })

  test('nobody outside a test imports a test or a fixture', () => {
    const wrong = production.flatMap(({ path, imports }) =>
      imports
        .filter(({ from }) => /\.(?:test|fixture)\.ts$|^test\//.test(from))
        .map(({ from }) => `${path} imports ${from}`),
    )
    expect(wrong).toEqual([])
  })
})

describe('names', () => {
  test('files are in kebab-case', () => {
    const wrong = allPaths
      .filter((path) => /^(?:src|test|scripts)\/.*\.(?:ts|mjs)$/.test(path))
      .filter((path) => !/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:test|fixture))?\.(?:ts|mjs)$/.test(basename(path)))
    expect(wrong).toEqual([])
  })

  test('no file has a name that says nothing', () => {
    const empty = /^(?:index|utils?|helpers?|common|types?|managers?|services?|misc|lib)(?:\.|$)/
    const parts = sources.flatMap(({ path }) => path.split('/').map((part) => ({ path, part })))
    expect(parts.filter(({ part }) => empty.test(part)).map(({ path }) => path)).toEqual([])
  })

  test('words of the wire are names only under http, and where the command line calls the service', () => {
    const elsewhere = production.filter(({ path }) => !/^src\/(?:http|cli)\//.test(path))
    const withoutTexts = elsewhere.map((file) => ({
      ...file,
      text: file.text.replaceAll(/'[^'\n]*'|`[^`]*`/g, ''),
    }))
    expect(linesMatching(withoutTexts, /\b(?:collectables|executedActions|statuscode|errorcode)\b/)).toEqual(
      [],
    )
  })
})

describe('places', () => {
  test('settings are read only where the process begins', () => {
    const beginnings = /^src\/(?:config\.ts|main\.ts|cli\/)/
    expect(
      linesMatching(
        production.filter(({ path }) => !beginnings.test(path)),
        /process\.env/,
      ),
    ).toEqual([])
  })

  test('SQL is written only in store and database', () => {
    const sql =
      /\b(?:SELECT\s+(?!1')\S|INSERT\s+INTO\s|UPDATE\s+\w+\s+(?:\w+\s+)?SET\s|DELETE\s+FROM\s|(?:CREATE|ALTER|DROP)\s+(?:TABLE|INDEX|DATABASE)\s)/
    // The doctor asks the server about itself; no merchant's data is read there.
    const elsewhere = production.filter(
      ({ path }) =>
        !/^src\/(?:store|database|embedded-postgres)\//.test(path) && path !== 'src/cli/check-database.ts',
    )
    expect(linesMatching(elsewhere, sql)).toEqual([])
  })

  test('what wallets hold is written in one place', () => {
    const others = production.filter(({ path }) => !path.startsWith('src/store/wallets/'))
    const held = 'balances|ledger_entries|lots|kept_multiples|coupons|customer_rule_usage'
    expect(linesMatching(others, new RegExp(`(?:INSERT INTO|UPDATE|DELETE FROM)\\s+(?:${held})\\b`))).toEqual(
      [],
    )
  })

  test('a migration that was released is never edited away: they are numbered without a gap', () => {
    const numbers = allPaths.flatMap((path) => /^migrations\/(\d{4})-[a-z0-9-]+\.sql$/.exec(path)?.[1] ?? [])
    expect(allPaths.filter((path) => path.startsWith('migrations/'))).toHaveLength(numbers.length)
    expect(numbers).toEqual(numbers.map((_, i) => String(i + 1).padStart(4, '0')))
  })
})

describe('size and comments', () => {
  const maxLines = 400
  const maxFunctionLines = 60
  /** Functions of before that are longer, most of them route tables. The list and its numbers may only shrink. */
  const listOfLong = 'test/long-functions.json'

  /** Named functions by their first and last line: the formatter indents both alike. */
  function longFunctions({ path, text }: SourceFile): [name: string, lines: number][] {
    const lines = text.split('\n')
    return lines.flatMap((line, first) => {
      const [, indent, name] =
        /^( *)(?:export )?(?:default )?(?:async )?function\*? (\w+)/.exec(line) ??
        /^( *)(?:export )?const (\w+)\b.* =(?: async)? \(.*(?:=> \{|\()$/.exec(line) ??
        []
      if (name === undefined) return []
      const last = lines.findIndex((other, i) => i > first && other === `${indent}}`)
      const length = last - first + 1
      return length > maxFunctionLines ? [[`${path} ${name}`, length]] : []
    })
  }

  test(`no file has more than ${maxLines} lines`, () => {
    const long = production.filter(({ text }) => text.split('\n').length - 1 > maxLines)
    expect(long.map(({ path, text }) => `${path}: ${text.split('\n').length - 1} lines`)).toEqual([])
  })

  test(`no function has more than ${maxFunctionLines} lines, but for those that always had`, () => {
    const known: Record<string, number> = JSON.parse(readFileSync(join(packageRoot, listOfLong), 'utf8'))
    const long = Object.fromEntries([...production, ...pages].flatMap(longFunctions))
    const grown = Object.entries(long).filter(([name, lines]) => lines > (known[name] ?? maxFunctionLines))
    expect(Object.fromEntries(grown), 'shorten these').toEqual({})
    const short = Object.keys(known).filter((name) => long[name] === undefined)
    expect(short, `take these off ${listOfLong}`).toEqual([])
  })

  test('files of the engine, the operations and the store open by saying what they do', () => {
    const withoutImports = (text: string) => text.replace(/^(?:import [^']*'[^']+'\n|\n)+/, '')
    const silent = ['engine', 'operations', 'store', 'jobs']
      .flatMap(inRoom)
      .filter(({ text }) => !withoutImports(text).startsWith('/**'))
    expect(silent.map(({ path }) => path)).toEqual([])
  })

  test('nothing is left to do', () => {
    expect(linesMatching(sources, /\b(?:TODO|FIXME|XXX|HACK)\b/)).toEqual([])
  })
})

describe('refusals', () => {
  const codes = Object.keys(refusals) as RefusalCode[]

  test('every code has a status and an advice', () => {
    expect(Object.keys(refusalAnswers)).toEqual(codes)
    expect(codes.filter((code) => !refusalAnswers[code].status || !refusalAnswers[code].advice)).toEqual([])
  })

  test('the domain says when in one sentence; endpoints, headers and advice belong to http', () => {
    expect(codes.filter((code) => !/^[A-Z][^`/]*\.$/.test(refusals[code]))).toEqual([])
    expect(codes.filter((code) => refusals[code].includes('. '))).toEqual([])
  })

  test('the engine refuses with a code and data, and leaves the sentence to http', () => {
    expect(linesMatching(inRoom('engine'), /\brefusal: \{|\brefusals\[|new Refused\b/)).toEqual([])
  })

  test('every code stands in docs/errors.md, in the order in which they win', () => {
    const page = readFileSync(join(packageRoot, 'docs/errors.md'), 'utf8')
    expect([...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code)).toEqual(codes)
  })

  test('every code is one that somebody answers with', () => {
    const lists =
      /^src\/(?:domain\/refusal|http\/errors\/errors|http\/errors\/refusals|http\/openapi\/open-api)\.ts$/
    const elsewhere = production.filter(({ path }) => !lists.test(path)).map(({ text }) => text)
    const answered = (code: string) => elsewhere.some((text) => text.includes(`'${code}'`))
    // These are answered from http/errors/errors.ts itself.
    const fromErrors = ['_payload_too_large', '_internal_error']
    expect(codes.filter((code) => !answered(code) && !fromErrors.includes(code))).toEqual([])
  })
})

describe('install', () => {
  interface Locked {
    readonly optionalDependencies?: object
    readonly integrity?: string
    readonly resolved?: string
    readonly link?: boolean
  }
  const lockfile = readFileSync(join(packageRoot, 'package-lock.json'), 'utf8')
  const packages: Record<string, Locked> = JSON.parse(lockfile).packages
  const installed = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  )

  test('the lockfile knows the optional packages of every platform, or `npm ci` refuses it', () => {
    const missing = Object.entries(packages).flatMap(([parent, entry]) =>
      Object.keys(entry.optionalDependencies ?? {}).filter(
        (name) => !packages[`node_modules/${name}`] && !packages[`${parent}/node_modules/${name}`],
      ),
    )
    expect(missing).toEqual([])
  })

  test('every package in the lockfile has its hash: one without could not be fetched, on whichever platform', () => {
    expect(installed.length).toBeGreaterThan(100)
    expect(installed.filter(([, { integrity }]) => !integrity).map(([path]) => path)).toEqual([])
  })

  test('the lockfile names no registry', () => {
    expect(installed.filter(([, { resolved }]) => resolved).map(([path]) => path)).toEqual([])
  })
})

describe('papers', () => {
  const papers = allPaths.filter((path) => path.endsWith('.md')).map(readSource)

  test('the papers a stranger looks for are there', () => {
    const expected = [
      'README.md',
      'ARCHITECTURE.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'CHANGELOG.md',
      'LICENSE',
      'docs/glossary.md',
    ]
    expect(expected.filter((path) => !allPaths.includes(path))).toEqual([])
  })

  test('the README lists every setting there is, and no other', () => {
    const read = readSource('src/config.ts').text.matchAll(/\.(?:text|integer|flag|secret)\('([A-Z_]+)'/g)
    const table = readSource('README.md').text.split('## Settings')[1]!.split('\n## ')[0]!
    const rows = table.split('\n').filter((line) => line.startsWith('| `'))
    const listed = rows.flatMap((row) =>
      [...row.split('|')[1]!.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name!),
    )
    expect(listed.sort()).toEqual([...new Set([...read].map(([, name]) => name!))].sort())
  })

  test('every path they name exists', () => {
    const named = papers.flatMap(({ path, text }) => {
      const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(([, target]) =>
        relative('.', join(dirname(path), target!)),
      )
      const paths = [
        ...text.matchAll(
          /`((?:src|test|docs|migrations|scripts|examples|bench|sdk|console|\.ci)\/[\w./-]*)`/g,
        ),
      ]
      return [...links, ...paths.map(([, target]) => target!)].map((target) => ({ path, target }))
    })
    const missing = named.filter(({ target }) => !existsSync(join(packageRoot, target)))
    expect(missing.map(({ path, target }) => `${path} names ${target}`)).toEqual([])
  })

  test('every document that code or papers mention by name is one of ours', () => {
    const ours = new Set(allPaths.map((path) => basename(path)))
    const files = [
      ...sources,
      ...papers,
      ...allPaths.filter((path) => /^test\/.*\.ts$/.test(path)).map(readSource),
    ]
    const unknown = files.flatMap(({ path, text }) =>
      [...text.matchAll(/\b([\w-]+\.md)\b/g)]
        .filter(([, name]) => !ours.has(name!))
        .map(([, name]) => `${path} mentions ${name}`),
    )
    expect(unknown).toEqual([])
  })

  test('decisions are numbered without a gap, and have the parts of a decision', () => {
    const decisions = papers.filter(({ path }) => path.startsWith('docs/decisions/'))
    const numbers = decisions.map(({ path }) => basename(path).slice(0, 4))
    expect(numbers).toEqual(numbers.map((_, i) => String(i + 1).padStart(4, '0')))
    const parts = ['Context', 'Decision', 'Consequences', 'Rejected']
    const incomplete = decisions.filter(({ text }) => parts.some((part) => !text.includes(`\n## ${part}`)))
    expect(incomplete.map(({ path }) => path)).toEqual([])
  })

  test('decisions that code refers to exist', () => {
    const numbers = allPaths.flatMap((path) => /^docs\/decisions\/(\d{4})-/.exec(path)?.[1] ?? [])
    const unknown = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/\bdecision (\d{4})\b/g)]
        .filter(([, n]) => !numbers.includes(n!))
        .map(([found]) => `${path}: ${found}`),
    )
    expect(unknown).toEqual([])
  })

  test('no file knows the machine it was written on', () => {
    const texts = allPaths.filter((path) =>
      /\.(?:ts|tsx|mjs|js|json|md|sql|yml|yaml|sh|css|html)$|^\.ci\/|^\.npmrc$/.test(path),
    )
    const machine = new RegExp(['/wo', 'rk/|/ho', 'me/[a-z]|/Us', 'ers/[a-z]|/ro', 'ot/'].join(''))
    expect(linesMatching(texts.map(readSource), machine)).toEqual([])
  })
})
