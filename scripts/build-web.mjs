// Builds the browser pages into dist/web, each file also in compressed form, so that the service only sends
// bytes, and with them the pages under /docs and the OpenAPI document. The types of their client are generated from
// openapi.json. The build runs only if an input has changed, because every `npm start` calls this.
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { describeForModels, describePostman } from './build-collection.mjs'
import { buildDocs, docSources } from './build-docs.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
/** What the pages are made of, as files and folders. A change of any of them builds the pages again. */
export const webSources = [
  'console',
  'openapi.json',
  'package-lock.json',
  'scripts/build-web.mjs',
  'scripts/build-docs.mjs',
  'scripts/build-collection.mjs',
  'scripts/build-search-index.mjs',
  'scripts/guide-steps.mjs',
  // What is done with files in the browser is done by the same code as on the command line.
  'src/files',
  'src/domain/import.ts',
  ...docSources,
]
const source = join(root, 'console')
const outcome = join(root, 'dist/web')
const stamp = join(root, 'dist/web.stamp')
const document = join(root, 'openapi.json')
const clientTypes = join(source, 'api/schema.d.ts')
/** The same for the SDK, as a file that is compiled with it. */
const sdkTypes = join(root, 'sdk/src/api.ts')
const compressible = /\.(?:html|js|css|svg|json|txt|wasm)$/

/** How well Brotli compresses. Its best is a tenth smaller, and takes twice as long as all the rest of the build. */
const qualities = { checkout: 9, release: constants.BROTLI_MAX_QUALITY }

export async function buildWeb({ isRelease = false } = {}) {
  const state = await hashOf(webSources)
  const quality = isRelease ? qualities.release : qualities.checkout
  const [built, builtWith] = (await readFile(stamp, 'utf8').catch(() => '')).split(' ')
  const isBuilt = built === state && existsSync(sdkTypes)
  if (isBuilt && Number(builtWith) >= quality) return
  // What is interrupted from here on is built again.
  await rm(stamp, { force: true })
  if (!isBuilt) await buildPages()
  const files = await listFiles(outcome)
  const compressed = files.filter((file) => compressible.test(file) && !isDocPage(file))
  await Promise.all(compressed.map((file) => compress(file, quality)))
  await writeFile(stamp, `${state} ${quality}`)
}

async function buildPages() {
  // Vite reads NODE_ENV from the environment: a build started by a test would contain React's development
  // version.
  process.env.NODE_ENV = 'production'
  const { build } = await import('vite')
  const configFile = join(source, 'vite.config.ts')
  await Promise.all([
    build({ configFile, root: source, build: { outDir: outcome }, logLevel: 'warn' }),
    writeClientTypes(),
  ])
  const api = JSON.parse(await readFile(document, 'utf8'))
  const pages = await buildDocs(root, outcome, api)
  // Served from here, so that it is compressed once, and better than there would be time for at a start.
  await writeFile(join(outcome, 'openapi.json'), JSON.stringify(api))
  await writeFile(join(outcome, 'docs/postman.json'), JSON.stringify(describePostman(api)))
  await writeFile(join(outcome, 'llms.txt'), describeForModels(api, pages))
}

export async function writeClientTypes() {
  // Resolved from the console's folder, which has the older TypeScript that the generator needs.
  const { default: openapiTs, astToString } = createRequire(join(source, 'package.json'))(
    'openapi-typescript',
  )
  // A property with a default can be left out of a request.
  const types = astToString(await openapiTs(pathToFileURL(document), { defaultNonNullable: false }))
  await writeFile(clientTypes, types)
  await writeFile(sdkTypes, types)
}

async function listFiles(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => path !== clientTypes && !path.startsWith(join(source, 'node_modules')))
    .filter((path) => !path.endsWith('.test.ts'))
    .sort()
}

async function hashOf(paths) {
  const hash = createHash('sha256')
  for (const path of paths.map((name) => join(root, name))) {
    for (const file of (await stat(path)).isDirectory() ? await listFiles(path) : [path]) {
      hash
        .update(file.slice(root.length))
        .update('\0')
        .update(await readFile(file))
    }
  }
  return hash.digest('hex')
}

/** They are many and small: the service compresses one when it is first asked for. */
const isDocPage = (file) => file.startsWith(join(outcome, 'docs')) && file.endsWith('.html')

/** What fits into a packet arrives no sooner when it is smaller. */
const worthCompressing = 1_024

async function compress(file, quality) {
  const bytes = await readFile(file)
  if (bytes.length < worthCompressing) return
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality }
  await replace(`${file}.br`, await promisify(brotliCompress)(bytes, { params }))
  // Browsers scan barcodes only where they also accept Brotli: over HTTPS, or on this computer. The copy for others
  // would be a tenth of the package.
  if (file.endsWith('.wasm')) return
  await replace(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }))
}

/** In one step: a service may be reading the file that was compressed before. */
async function replace(path, content) {
  await writeFile(`${path}.${process.pid}`, content)
  await rename(`${path}.${process.pid}`, path)
}
