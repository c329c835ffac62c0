/** A computer that cannot build or run the service is told why in one sentence. No database is started here. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findPostgresBinaries } from '../../src/embedded-postgres/postgres-binaries.ts'
import { packageRoot } from '../../src/package-root.ts'
import { type Checkout, makeCheckout } from '../support/checkout.ts'

// Plain JavaScript without types, since every Node has to be able to read it.
const { complainAboutNode, explainMissingPackage } = await import(
  join(packageRoot, 'src/check-installation.mjs')
)

/** For NODE_OPTIONS: the process takes itself for one of another kind. */
const pretending = (member: 'platform' | 'arch' | 'versions', value: unknown) =>
  `--import data:text/javascript,${encodeURIComponent(
    `Object.defineProperty(process, '${member}', { value: ${JSON.stringify(value)} })`,
  )}`
const ofNode18 = pretending('versions', { ...process.versions, node: '18.20.8' })
const onSunos = pretending('platform', 'sunos')

function run(file: string, nodeOptions: string): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return new Promise((done) => {
    const env = { PATH: process.env.PATH, NODE_OPTIONS: nodeOptions }
    execFile(process.execPath, [join(packageRoot, file)], { env }, (error, stdout, stderr) =>
      done({ code: error?.code ?? 0, stdout, stderr }),
    )
  })
}

describe('the version of Node', () => {
  test.each([
    ['20.18.3', false],
    ['20.19.0', true],
    ['20.20.2', true],
    ['21.7.3', false],
    ['22.11.0', false],
    ['22.12.0', true],
    ['23.0.0', true],
    ['100.0.0', true],
    ['9.11.2', false],
  ])('%s is enough for "^20.19 || >=22.12": %s', (running, isEnough) => {
    expect(complainAboutNode(running, '^20.19 || >=22.12') === undefined).toBe(isEnough)
  })

  test('package.json asks for one in a form that is understood, and this one is enough', () => {
    expect(complainAboutNode()).toBeUndefined()
  })

  test.each(['src/loyalty-wallet.mjs', 'build.mjs'])('%s refuses one that is too old', async (file) => {
    expect(await run(file, ofNode18)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'Loyalty Wallet needs Node 20 (20.19 or newer), or 22.12 or newer, but this is Node 18.20.8. Get a supported version at https://nodejs.org.\n',
    })
  })
})

describe('packages that are missing', () => {
  let checkout: Checkout
  beforeAll(async () => {
    checkout = await makeCheckout()
  })
  afterAll(() => checkout.remove())

  const sentence = (name: string) =>
    `Loyalty Wallet cannot run here: ${name} is not installed for this computer (sunos-${process.arch}). Reinstall it on this computer, with optional packages (without --omit=optional). Supported platforms: darwin-arm64, darwin-x64, linux-arm64, linux-x64, windows-x64.\n`

  test('a build without the native part of a tool says which', async () => {
    expect(await run('build.mjs', onSunos)).toEqual({ code: 1, stdout: '', stderr: sentence('esbuild') })
  })

  test('a start without the native part of a package says which', async () => {
    expect(await checkout.run(['serve'], { NODE_OPTIONS: onSunos })).toEqual({
      code: 1,
      stdout: '',
      stderr: sentence('@node-rs/argon2'),
    })
  })

  test.each([
    [
      'a package',
      "Cannot find package 'pg' imported from /app/node_modules/loyalty-wallet/dist/main.js",
      'pg',
    ],
    ['a native part of the pages', 'Cannot find native binding. Please try again.', 'rolldown'],
  ])('%s that is not there is named', (_, message, name) => {
    const error = Object.assign(new Error(message), {
      code: message.includes('package') ? 'ERR_MODULE_NOT_FOUND' : undefined,
      stack: `Error: ${message}\n    at file:///app/node_modules/rolldown/dist/shared/binding.mjs:1:1`,
    })
    expect(explainMissingPackage(error)).toContain(`: ${name} is not installed for this computer`)
  })

  test('the name of the program alone runs the service', async () => {
    const { code, stderr } = await checkout.run([], { PORT: 'eighty' })
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('PORT must be') })
  })

  test('any other error stays what it is', () => {
    expect(explainMissingPackage(new TypeError('x is not a function'))).toBeUndefined()
  })

  test('where there is no embedded PostgreSQL, one says what else to use', async () => {
    const { arch } = process
    try {
      Object.defineProperty(process, 'arch', { value: 'riscv64' })
      await expect(findPostgresBinaries()).rejects.toThrow(
        /^There is no embedded PostgreSQL for \w+-riscv64\. .* POSTGRES_BIN .* DATABASE_URL to a running one\.$/,
      )
    } finally {
      Object.defineProperty(process, 'arch', { value: arch })
    }
  })
})
