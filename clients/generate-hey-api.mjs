// Generates a client with @hey-api/openapi-ts, as its own documentation does, and checks the names of its types.
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@hey-api/openapi-ts'

const output = fileURLToPath(new URL('../dist/clients/hey-api', import.meta.url))
await createClient({
  input: fileURLToPath(new URL('../openapi.json', import.meta.url)),
  output,
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
  logs: { level: 'silent', file: false },
})

const names = exportedNames(await readFile(join(output, 'types.gen.ts'), 'utf8'))
const taken = await globalNames()
const problems = [
  ...names.filter((name) => taken.has(name)).map((name) => `${name} hides a global of the same name`),
  // A number tells apart two types that want the same name, and the other endings those of which a part is
  // read-only: such a name changes with the contents of the type, or of another one.
  ...names.filter((name) => /(?:\d|Writable|Readable)$/.test(name)).map((name) => `${name} is made up`),
]
for (const problem of problems) console.error(problem)
console.log(`${names.length} types`)
process.exitCode = problems.length > 0 ? 1 : 0

function exportedNames(text) {
  return [...text.matchAll(/^export type (\w+)/gm)].map(([, name]) => name)
}

/** The names that TypeScript's own libraries declare, for pages and for the language. */
async function globalNames() {
  const folder = dirname(createRequire(import.meta.url).resolve('typescript'))
  const files = (await readdir(folder)).filter((file) => /^lib\.(?:dom|es).*\.d\.ts$/.test(file))
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  const declaration = /^(?:declare )?(?:interface|type|class|var|const|function) (\w+)/gm
  return new Set(texts.flatMap((text) => [...text.matchAll(declaration)].map(([, name]) => name)))
}
