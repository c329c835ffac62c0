/**
 * Reads the source tree and enforces its conventions: which layer may import which, how files are named,
 * where settings and SQL may be, and that the docs describe what exists. A failure lists every violation.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type RefusalCode, refusals } from '../src/domain/refusal.ts'
import { refusalAnswers } from '../src/http/errors/refusals.ts'
import { packageRoot } from '../src/package-root.ts'
import { settingList } from '../src/setting-list.ts'
import { listInsertsOfRead } from './support/inserts-of-read.ts'

interface SourceFile {
  /** Path from the root of the package, with slashes: `src/domain/ids.ts`. */
  readonly path: string
  readonly text: string
  readonly imports: readonly Import[]
}

interface Import {
  /** The name of a package, or the path of one of our own files from the root. */
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
    // `type X` inside a list is a type too, and types do not exist at run time.
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
const inLayer = (layer: string) => production.filter(({ path }) => path.startsWith(`src/${layer}/`))

/** Lists every matching line of the files as `path:line: text`. */
function linesMatching(files: readonly SourceFile[], pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, i) => (pattern.test(line) ? `${path}:${i + 1}: ${line.trim()}` : [])),
  )
}

/** Which of our files each layer may import: whole layers, single files, and always its own files. */
const mayImport: Record<string, readonly string[]> = {
  domain: [],
  engine: ['src/domain/'],
  files: ['src/domain/'],
  adapters: ['src/domain/'],
  tracing: [],
  conformance: ['src/domain/escape-html.ts'],
  database: ['src/package-root.ts', 'src/tracing/'],
  'embedded-postgres': ['src/database/', 'src/package-root.ts'],
  store: ['src/domain/', 'src/database/', 'src/tracing/'],
  operations: [
    'src/domain/',
    'src/engine/',
    'src/adapters/',
    'src/store/',
    'src/database/classify-error.ts',
    'src/tracing/',
  ],
  http: [
    'src/domain/',
    'src/operations/',
    'src/store/',
    'src/engine/definition/',
    'src/engine/rules/',
    'src/database/classify-error.ts',
    'src/package-root.ts',
    'src/tracing/',
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
    'src/tracing/',
  ],
  cli: [
    'src/domain/',
    'src/operations/',
    'src/store/',
    'src/database/',
    'src/embedded-postgres/',
    'src/app/',
    'src/conformance/',
    'src/engine/definition/definition-changes.ts',
    'src/files/',
    'src/http/redaction/logger.ts',
    'src/config.ts',
    'src/package-root.ts',
  ],
}

describe('layers', () => {
  test.each(Object.entries(mayImport))('%s imports only what it may', (layer, allowed) => {
    const wrong = inLayer(layer).flatMap(({ path, imports }) =>
      imports
        .filter(({ from }) => from.startsWith('src/') && !from.startsWith(`src/${layer}/`))
        .filter(({ from }) => !allowed.some((prefix) => from.startsWith(prefix)))
        .map(({ from }) => `${path} imports ${from}`),
    )
    expect(wrong).toEqual([])
  })

  test('only the code that starts the service knows the demo', () => {
    const users = production.filter(({ path, imports }) =>
      imports.some(({ from }) => from.startsWith('src/demo/') && !path.startsWith('src/demo/')),
    )
    expect(users.map(({ path }) => path)).toEqual(['src/app/serve.ts'])
  })

  test('only the command line uses the SDK: the service itself is no client', () => {
    const users = production.filter(({ imports }) => imports.some(({ from }) => from.startsWith('sdk/')))
    expect(users.filter(({ path }) => !path.startsWith('src/cli/'))).toEqual([])
  })

  test('every folder of src is a layer with rules', () => {
    const layers = new Set(sources.flatMap(({ path }) => path.split('/').slice(1, -1).slice(0, 1)))
    expect([...layers].sort()).toEqual(
      Object.keys(mayImport)
        .filter((layer) => layers.has(layer))
        .sort(),
    )
  })

  test('http and cli use the store only to find and list; everything else goes through operations', () => {
    const frame = ['inTransaction', 'platformOrg', 'platformTenant', 'tenantOf']
    const wrong = [...inLayer('http'), ...inLayer('cli')].flatMap(({ path, imports }) =>
      imports
        .filter(({ from }) => from.startsWith('src/store/'))
        .flatMap(({ from, names }) => names.map((name) => ({ from, name })))
        .filter(({ name }) => !/^(?:find|list)[A-Z]/.test(name) && !frame.includes(name))
        .map(({ from, name }) => `${path} imports ${name} from ${from}`),
    )
    expect(wrong).toEqual([])
  })

  test('domain, engine and adapters are pure: no I/O, no clock, no randomness', () => {
    const pure = [...inLayer('domain'), ...inLayer('engine'), ...inLayer('adapters')]
    const packages = pure.flatMap(({ path, imports }) =>
      imports
        .filter(({ from, isTypeOnly }) => !isTypeOnly && !from.startsWith('src/'))
        .filter(({ from }) => !/^(?:typebox|libphonenumber-js)(?:\/|$)/.test(from))
        // A signature is a function of what is signed.
        .filter(({ from }) => path !== 'src/adapters/signature.ts' || from !== 'node:crypto')
        .map(({ from }) => `${path} imports ${from}`),
    )
    expect(packages).toEqual([])
    expect(linesMatching(pure, /Date\.now\(|new Date\(\)|Math\.random|performance\.now|process\./)).toEqual(
      [],
    )
  })

  test('imports form no cycles, not even for types', () => {
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

  test('production code imports no tests or fixtures', () => {
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
      .filter(
        (path) =>
          !/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:test|full\.test|fixture))?\.(?:ts|mjs)$/.test(basename(path)),
      )
    expect(wrong).toEqual([])
  })

  test('what only the full check runs is listed, with what holds meanwhile, and each file of the list exists', () => {
    const [, ...rows] = readFileSync(join(packageRoot, 'test/full-check.md'), 'utf8').match(/^\| .*$/gm)!
    const left = rows.map((row) => row.split('|')[1]!).join()
    const ofFullCheck = allPaths.flatMap((path) => /^test\/(.*\.full)\.test\.ts$/.exec(path)?.[1] ?? [])
    expect(ofFullCheck.filter((name) => !left.includes(`\`${name}\``))).toEqual([])
    const named = rows.join().match(/(?<=`)[a-z]+\/[a-z.-]+(?=`)/g)!
    const isThere = (name: string) =>
      [name, `${name}.test.ts`].some((file) => allPaths.includes(`test/${file}`))
    expect(named.filter((name) => !isThere(name))).toEqual([])
  })

  test('no file has a meaningless name', () => {
    const empty = /^(?:index|utils?|helpers?|common|types?|managers?|services?|misc|lib)(?:\.|$)/
    const parts = sources.flatMap(({ path }) => path.split('/').map((part) => ({ path, part })))
    expect(parts.filter(({ part }) => empty.test(part)).map(({ path }) => path)).toEqual([])
  })

  test('API field names are identifiers only under http, and where the API is called', () => {
    const elsewhere = production.filter(({ path }) => !/^src\/(?:http|cli|conformance)\//.test(path))
    const withoutStrings = elsewhere.map((file) => ({
      ...file,
      text: file.text.replaceAll(/'[^'\n]*'|`[^`]*`/g, ''),
    }))
    expect(
      linesMatching(withoutStrings, /\b(?:collectables|executedActions|statuscode|errorcode)\b/),
    ).toEqual([])
  })
})

describe('places', () => {
  test('settings are read only where the process starts', () => {
    const entryPoints = /^src\/(?:config\.ts|main\.ts|cli\/)/
    expect(
      linesMatching(
        production.filter(({ path }) => !entryPoints.test(path)),
        /process\.env/,
      ),
    ).toEqual([])
  })

  test('SQL is written only in store and database', () => {
    const sql =
      /\b(?:SELECT\s+(?!1')\S|INSERT\s+INTO\s|UPDATE\s+\w+\s+(?:\w+\s+)?SET\s|DELETE\s+FROM\s|(?:CREATE|ALTER|DROP)\s+(?:TABLE|INDEX|DATABASE)\s)/
    // The doctor queries the server about itself and reads no merchant data.
    const elsewhere = production.filter(
      ({ path }) =>
        !/^src\/(?:store|database|embedded-postgres)\//.test(path) && path !== 'src/cli/check-database.ts',
    )
    expect(linesMatching(elsewhere, sql)).toEqual([])
  })

  test('the contents of wallets are written in one place', () => {
    const others = production.filter(({ path }) => !path.startsWith('src/store/wallets/'))
    const held = 'balances|ledger_entries|lots|kept_multiples|coupons|customer_rule_usage'
    expect(linesMatching(others, new RegExp(`(?:INSERT INTO|UPDATE|DELETE FROM)\\s+(?:${held})\\b`))).toEqual(
      [],
    )
  })

  test('rows that a statement reads and inserts belong to an organization that it has read', () => {
    // On a cluster, row level security does not look at what an INSERT … SELECT inserts (SECURITY.md).
    const inserts = production
      .filter(({ path }) => path.startsWith('src/store/'))
      .flatMap(({ path, text }) => listInsertsOfRead(text).map((insert) => ({ path, insert })))
    const loose = inserts.filter(({ insert }) => !/^SELECT (\w+\.)?org_id,.*\s\1org_id = \$1/s.test(insert))
    expect(inserts.length).toBeGreaterThan(30)
    expect(loose).toEqual([])
  })

  test('migrations are numbered without gaps, so none has been removed', () => {
    const numbers = allPaths.flatMap((path) => /^migrations\/(\d{4})-[a-z0-9-]+\.sql$/.exec(path)?.[1] ?? [])
    expect(allPaths.filter((path) => path.startsWith('migrations/'))).toHaveLength(numbers.length)
    expect(numbers).toEqual(numbers.map((_, i) => String(i + 1).padStart(4, '0')))
  })
})

describe('size and comments', () => {
  const maxLines = 400
  const maxFunctionLines = 60
  /** Lists older functions that are longer, mostly route tables. The list and its numbers may only shrink. */
  const listOfLong = 'test/long-functions.json'

  /** Finds named functions by their first and last lines, which the formatter indents alike. */
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

  test(`no function has more than ${maxFunctionLines} lines, except those on the list`, () => {
    const known: Record<string, number> = JSON.parse(readFileSync(join(packageRoot, listOfLong), 'utf8'))
    const long = Object.fromEntries([...production, ...pages].flatMap(longFunctions))
    const grown = Object.entries(long).filter(([name, lines]) => lines > (known[name] ?? maxFunctionLines))
    const shrunk = Object.entries(long).filter(([name, lines]) => lines < (known[name] ?? 0))
    expect(Object.fromEntries(grown), 'shorten these').toEqual({})
    expect(Object.fromEntries(shrunk), `lower their numbers in ${listOfLong}`).toEqual({})
    const short = Object.keys(known).filter((name) => long[name] === undefined)
    expect(short, `remove these from ${listOfLong}`).toEqual([])
  })

  test('files of the engine, the operations, the store and the jobs begin with a description', () => {
    const withoutImports = (text: string) => text.replace(/^(?:import [^']*'[^']+'\n|\n)+/, '')
    const silent = ['engine', 'operations', 'store', 'jobs']
      .flatMap(inLayer)
      .filter(({ text }) => !withoutImports(text).startsWith('/**'))
    expect(silent.map(({ path }) => path)).toEqual([])
  })

  test('there are no open to-dos', () => {
    expect(linesMatching(sources, /\b(?:TODO|FIXME|XXX|HACK)\b/)).toEqual([])
  })
})

describe('words', () => {
  /** Phrases that readers stumble over, with what to write instead; CONTRIBUTING.md has the whole list. */
  const oldDialect: readonly (readonly [pattern: RegExp, instead: string])[] = [
    [/unless told/i, 'default, by default'],
    [/\bfor ever\b/i, 'forever'],
    [/\bblot(?:s|ted)?\b/i, 'redact'],
    [
      /^\s*(?:\/\*\*|\*|\/\/) Of (?:the|a|an|all|those|whoever|which)\b/,
      'a subject: "Fingerprint of the body"',
    ],
    [/\bwhoever\b/i, 'the role: customer, caller, operator, merchant'],
    [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
    [/\btake(?:s|n)? away\b/i, 'remove'],
    [/\be-mail/i, 'email'],
    [/\bcolour/i, 'color'],
    [/\bthe papers\b/i, 'the docs'],
    [/take it back/i, 'revoke, return, undo'],
  ]

  /** Parts that may contain the phrases: the list of words itself. */
  const exempt = new Map([['CONTRIBUTING.md', /^## Words\n[\s\S]*?(?=^## )/m]])

  /** Empties the lines of an exempt part, so that the others keep their numbers. */
  function withoutExempt(file: SourceFile): SourceFile {
    const [part = ''] = exempt.get(file.path)?.exec(file.text) ?? []
    return { ...file, text: file.text.replace(part, part.replaceAll(/[^\n]/g, '')) }
  }

  test('nobody goes back to the old dialect', () => {
    const code =
      /^(?:src|console|scripts|bench|deploy|\.github|test\/support)\/.*\.(?:tsx?|mjs|css|yml|sh|service)$/
    const prose = /\.md$|^console\/locales\/en\/|^(?:Dockerfile|compose\.yaml|build\.mjs)$/
    const others = /\.test\.ts$|^console\/api\/schema\.d\.ts$/
    const files = allPaths
      .filter((path) => (code.test(path) || prose.test(path)) && !others.test(path))
      .map((path) => withoutExempt(readSource(path)))
    const found = oldDialect.flatMap(([pattern, instead]) =>
      linesMatching(files, pattern).map((line) => `${line} (write: ${instead})`),
    )
    expect(found).toEqual([])
  })
})

describe('refusals', () => {
  const codes = Object.keys(refusals) as RefusalCode[]

  test('every code has a status and advice', () => {
    expect(Object.keys(refusalAnswers)).toEqual(codes)
    expect(codes.filter((code) => !refusalAnswers[code].status || !refusalAnswers[code].advice)).toEqual([])
  })

  test('the domain describes each code in one sentence; endpoints, headers and advice belong to http', () => {
    expect(codes.filter((code) => !/^[A-Z][^`/]*\.$/.test(refusals[code]))).toEqual([])
    expect(codes.filter((code) => refusals[code].includes('. '))).toEqual([])
  })

  test('the engine refuses with a code and data, and leaves the sentence to http', () => {
    expect(linesMatching(inLayer('engine'), /\brefusal: \{|\brefusals\[|new Refused\b/)).toEqual([])
  })

  test('docs/errors.md lists every code in order of precedence', () => {
    const page = readFileSync(join(packageRoot, 'docs/errors.md'), 'utf8')
    expect([...page.matchAll(/^\| <a id="(\w+)"><\/a>`\1` \|/gm)].map(([, code]) => code)).toEqual(codes)
  })

  test('every code is in use', () => {
    const lists =
      /^src\/(?:domain\/refusal|http\/errors\/(?:errors|refusals|field-at-fault)|http\/openapi\/error-responses)\.ts$/
    const elsewhere = production.filter(({ path }) => !lists.test(path)).map(({ text }) => text)
    const isUsed = (code: string) => elsewhere.some((text) => text.includes(`'${code}'`))
    // These are used in http/errors/errors.ts itself.
    const fromErrors = ['_payload_too_large', '_internal_error']
    expect(codes.filter((code) => !isUsed(code) && !fromErrors.includes(code))).toEqual([])
  })
})

describe('install', () => {
  interface Locked {
    readonly optionalDependencies?: object
    readonly integrity?: string
    readonly resolved?: string
    readonly link?: boolean
  }
  const lockfiles = ['package-lock.json', 'clients/package-lock.json'].map((path) => {
    const packages: Record<string, Locked> = JSON.parse(
      readFileSync(join(packageRoot, path), 'utf8'),
    ).packages
    const installed = Object.entries(packages).filter(
      ([name, { link }]) => name.includes('node_modules/') && !link,
    )
    return { path, packages, installed }
  })

  test.each(lockfiles)(
    '$path contains the optional packages of every platform, or `npm ci` refuses it',
    ({ packages }) => {
      const missing = Object.entries(packages).flatMap(([parent, entry]) =>
        Object.keys(entry.optionalDependencies ?? {}).filter(
          (name) => !packages[`node_modules/${name}`] && !packages[`${parent}/node_modules/${name}`],
        ),
      )
      expect(missing).toEqual([])
    },
  )

  test.each(lockfiles)(
    'every package in $path has its hash, without which it could not be fetched on its platform',
    ({ installed }) => {
      expect(installed.length).toBeGreaterThan(100)
      expect(installed.filter(([, { integrity }]) => !integrity).map(([path]) => path)).toEqual([])
    },
  )

  test.each(lockfiles)('$path names no registry', ({ installed }) => {
    expect(installed.filter(([, { resolved }]) => resolved).map(([path]) => path)).toEqual([])
  })
})

describe('docs', () => {
  const docs = allPaths.filter((path) => path.endsWith('.md')).map(readSource)

  test('the files that new users look for exist', () => {
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

  test('the README lists every setting, and no others', () => {
    const read = readSource('src/config.ts').text.matchAll(/\.(?:text|integer|flag|secret)\('([A-Z_]+)'/g)
    const table = readSource('README.md').text.split('## Settings')[1]!.split('\n## ')[0]!
    const rows = table.split('\n').filter((line) => line.startsWith('| `'))
    const listed = rows.flatMap((row) =>
      [...row.split('|')[1]!.matchAll(/`([A-Z_]+)`/g)].map(([, name]) => name!),
    )
    expect(listed.sort()).toEqual([...new Set([...read].map(([, name]) => name!))].sort())
    // With the same words as `loyalty-wallet config check`.
    const described = Object.entries(settingList).map(([name, { default: value, meaning }]) =>
      ['', ` \`${name}\` `, value ? ` ${value} ` : ' ', ` ${meaning} `, ''].join('|'),
    )
    expect(rows).toEqual(described)
  })

  test('every path that the docs name exists', () => {
    const named = docs.flatMap(({ path, text }) => {
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

  test('every heading that the docs link to exists', () => {
    const slugOf = (words: string) =>
      words
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(/\s/g, '-')
    const placesIn = (text: string) => [
      ...[...text.matchAll(/^#+ (.+)$/gm)].map(([, words]) => slugOf(words!)),
      ...[...text.matchAll(/ (?:id|name)="([^"]+)"/g)].map(([, id]) => id!),
    ]
    const places = new Map(docs.map(({ path, text }) => [path, placesIn(text)]))
    const missing = docs.flatMap(({ path, text }) =>
      [...text.matchAll(/\]\((?!https?:)([^)#\s]*\.md)?#([^)\s]+)\)/g)]
        .map(([, file, place]) => ({
          to: file ? relative('.', join(dirname(path), file)) : path,
          place: place!,
        }))
        .filter(({ to, place }) => !places.get(to)?.includes(place))
        .map(({ to, place }) => `${path} links to ${to}#${place}`),
    )
    expect(missing).toEqual([])
  })

  test('every document that code or docs mention exists', () => {
    const ours = new Set(allPaths.map((path) => basename(path)))
    const files = [
      ...sources,
      ...docs,
      ...allPaths.filter((path) => /^test\/.*\.ts$/.test(path)).map(readSource),
    ]
    const unknown = files.flatMap(({ path, text }) =>
      [...text.matchAll(/\b([\w-]+\.md)\b/g)]
        .filter(([, name]) => !ours.has(name!))
        .map(([, name]) => `${path} mentions ${name}`),
    )
    expect(unknown).toEqual([])
  })

  test('decisions are numbered without gaps and have all their sections', () => {
    const decisions = docs.filter(({ path }) => path.startsWith('docs/decisions/'))
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

  test('no file contains a path of the machine it was written on', () => {
    const texts = allPaths.filter((path) =>
      /\.(?:ts|tsx|mjs|js|json|md|sql|yml|yaml|sh|css|html)$|^\.ci\/|^\.npmrc$/.test(path),
    )
    const machine = new RegExp(['/wo', 'rk/|/ho', 'me/[a-z]|/Us', 'ers/[a-z]|/ro', 'ot/'].join(''))
    expect(linesMatching(texts.map(readSource), machine)).toEqual([])
  })
})
