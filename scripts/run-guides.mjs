// Runs every snippet of the guides against a running demo, as a reader would: those of a guide in one shell, as one
// program in TypeScript and as one in Python. What each prints is compared with what the guide shows. Every guide and
// language has an organization of its own, so that they run beside each other.
import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import pLimit from 'p-limit'
import { incompleteSteps, matchesShown, readSteps } from './guide-steps.mjs'
import { matchesOutput } from './paste-blocks.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const execute = promisify(execFile)
const python = process.platform === 'win32' ? 'python' : 'python3'
const mark = '@@ next step @@'
/** Its first step is what all others begin with. */
const firstGuide = 'first-integration.md'
/** One more than most computers have processors: programs wait for the service half of their time. */
const atOnce = 3
const timeoutMs = 120_000

/** Printed as JSON, so that one shown answer fits all languages. */
const printJson = {
  ts: `const { log } = console
console.log = (...values: unknown[]) =>
  log(...values.map((value) => (typeof value === 'object' ? JSON.stringify(value) : value)))
export {}
`,
  python: `import builtins
import json


def print(*values: object) -> None:
    builtins.print(*[value if isinstance(value, str) else json.dumps(value) for value in values], flush=True)
`,
}

/** `folder` is where the service was started. Returns a line about what was run. */
export async function runGuides(folder) {
  const guides = await readGuides()
  const work = join(folder, 'guides')
  await rm(work, { recursive: true, force: true })
  await mkdir(work)
  await installSdk(work)
  await installCommand(work)
  const demo = JSON.parse(await readFile(join(folder, 'data/demo.json'), 'utf8'))
  const limit = pLimit(atOnce)
  const kinds = [
    { language: 'bash', run: runShell, needs: ['bash', 'curl'] },
    { language: 'ts', run: runTypeScript, needs: [] },
    { language: 'python', run: runPython, needs: [python] },
  ]
  const skipped = []
  const jobs = []
  for (const { language, run, needs } of kinds) {
    const missing = await findMissing(needs)
    if (missing) skipped.push(`${language} skipped: there is no ${missing}`)
    else for (const guide of guides) jobs.push({ guide, language, run })
  }
  const start = (job) => limit(() => runGuide(job, { demo, work, data: join(folder, 'data') }))
  // The command line looks at the whole installation, in which nothing else should be going on then.
  const isLast = ({ guide, language }) =>
    language === 'bash' && guide.steps.some(({ snippets }) => snippets.sh)
  const results = [
    ...(await Promise.allSettled([
      ...jobs.filter((job) => !isLast(job)).map(start),
      limit(() => checkTypes(guides, work)),
    ])),
    ...(await Promise.allSettled(jobs.filter(isLast).map(start))),
  ]
  const failures = results.filter(({ status }) => status === 'rejected').map(({ reason }) => reason.message)
  if (failures.length > 0) throw new Error(failures.join('\n\n'))
  const count = results.reduce((sum, { value }) => sum + (value ?? 0), 0)
  return [`${guides.length} guides, ${count} snippets`, ...skipped].join('; ')
}

async function readGuides() {
  const folder = join(root, 'docs/guides')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md'))
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  const guides = names
    .map((name, i) => ({ name, text: texts[i] }))
    .filter(({ text }) => /^```(?:bash|ts|python)/m.test(text))
    .map(({ name, text }) => ({ name, steps: readSteps(text, name) }))
  const incomplete = guides.flatMap(({ name, steps }) => incompleteSteps(steps, name))
  if (incomplete.length > 0) throw new Error(`not in all languages: ${incomplete.join(', ')}`)
  const [start] = guides.find(({ name }) => name === firstGuide).steps
  return guides.map(({ name, steps }) => ({ name, steps: name === firstGuide ? steps : [start, ...steps] }))
}

async function findMissing(programs) {
  for (const program of programs)
    if (!(await execute(program, ['--version']).catch(() => undefined))) return program
}

/** As npm would install it. */
async function installSdk(work) {
  await execute(process.execPath, [join(root, 'scripts/build-sdk.mjs')])
  const filter = (path) => !/[\\/]sdk[\\/](?:src|python)/.test(path)
  await cp(join(root, 'sdk'), join(work, 'node_modules/loyalty-wallet-sdk'), { recursive: true, filter })
  await symlink(join(root, 'node_modules/@types'), join(work, 'node_modules/@types'), 'junction')
}

async function installCommand(work) {
  const file = join(work, 'bin/loyalty-wallet')
  await mkdir(join(work, 'bin'))
  await writeFile(
    file,
    `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'dist/loyalty-wallet.js')}' "$@"\n`,
  )
  await chmod(file, 0o755)
}

async function runGuide({ guide, language, run }, { demo, work, data }) {
  const folder = join(work, language, guide.name.replace(/\.md$/, ''))
  await mkdir(join(folder, 'data'), { recursive: true })
  await writeFile(
    join(folder, 'data/demo.json'),
    JSON.stringify(await openOrganization(demo, `${guide.name} (${language})`)),
  )
  const steps = guide.steps.filter(
    ({ snippets }) => snippets[language] ?? (language === 'bash' && snippets.sh),
  )
  const env = {
    ...process.env,
    PATH: join(work, 'bin') + delimiter + process.env.PATH,
    DATA_DIR: data,
    PYTHONPATH: join(root, 'sdk/python'),
    PYTHONDONTWRITEBYTECODE: '1',
  }
  const { stdout, failure } = await run(steps, { cwd: folder, env, timeout: timeoutMs, maxBuffer: 2 ** 25 })
  const outputs = stdout.replaceAll('\r', '').split(`${mark}\n`)
  const at = (i) => `${guide.name}:${steps[i]?.line} (${language})`
  if (failure) throw new Error(`${at(outputs.length - 1)} fails:\n${outputs.at(-1)}${failure}`)
  for (const [i, { expected }] of steps.entries())
    if (expected && !isShown(expected, outputs[i]))
      throw new Error(`${at(i)} prints:\n${outputs[i]}\nand the guide shows:\n${expected.text}`)
  return steps.length
}

function isShown({ kind, text }, output) {
  if (kind === 'text output') return matchesOutput(text, output.trimEnd())
  try {
    return matchesShown(JSON.parse(text), JSON.parse(output), kind === 'json excerpt')
  } catch {
    return false
  }
}

/** The demo again, with the same campaign and other customers. */
async function openOrganization(demo, name) {
  const admin = (path, body) => request(`${demo.baseUrl}/admin/v1${path}`, `Bearer ${demo.adminToken}`, body)
  const { data: integrations } = await admin('/integrations')
  const organization = await admin('/organizations', {
    name,
    country: 'US',
    currency: 'USD',
    timezone: 'America/New_York',
  })
  const connection = await admin(`/organizations/${organization.id}/connections`, {
    integration: integrations[0].id,
    scopes: ['pos', 'manage'],
  })
  const { name: title, balances, rules, rewards, thresholds, spend } = await campaignOf(demo)
  const definition = { name: title, balances, rules, rewards, thresholds, spend }
  const own = { ...demo, apiSecret: connection.apiSecret, organizationId: organization.id }
  const access = await authorize(own)
  const { id } = await request(`${demo.baseUrl}/v1/campaigns`, access, definition)
  await request(`${demo.baseUrl}/v1/campaigns/${id}/publish`, access, {})
  return { ...own, campaignId: id }
}

const campaignOf = async (demo) =>
  request(`${demo.baseUrl}/v1/campaigns/${demo.campaignId}`, await authorize(demo))

async function authorize({ baseUrl, apiKey, apiSecret }) {
  const headers = { 'x-api-key': apiKey, 'x-api-secret': apiSecret }
  const response = await fetch(`${baseUrl}/auth/token`, { method: 'POST', headers })
  return `Bearer ${(await response.json()).accessToken}`
}

async function request(url, authorization, body) {
  const headers = { authorization, ...(body && { 'content-type': 'application/json' }) }
  const response = await fetch(
    url,
    body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers },
  )
  const answer = await response.json()
  if (!response.ok) throw new Error(`${url}: ${answer.message} ${answer.description}`)
  return answer
}

const run = (program, args, options) =>
  execute(program, args, options).then(
    ({ stdout }) => ({ stdout }),
    ({ stdout, stderr, message }) => ({ stdout, failure: String(stderr).slice(-4_000) || message }),
  )

function runShell(steps, options) {
  const script = steps.map(({ snippets }) => `${snippets.bash ?? snippets.sh}\necho '${mark}'`).join('\n')
  return run('bash', ['-euo', 'pipefail', '-c', script], options)
}

async function runTypeScript(steps, options) {
  const { code } = await transform(programOf(steps), { loader: 'ts', format: 'esm', target: 'node20' })
  const print = await transform(printJson.ts, { loader: 'ts' })
  await writeFile(join(options.cwd, 'print-json.mjs'), print.code)
  await writeFile(join(options.cwd, 'guide.mjs'), code)
  return run(process.execPath, ['guide.mjs'], options)
}

const programOf = (steps) =>
  `import './print-json.mjs'\n${steps.map(({ snippets }) => `${snippets.ts}\nconsole.log('${mark}')`).join('\n')}`

async function runPython(steps, options) {
  const program = steps.map(({ snippets }) => `${snippets.python}\nprint("${mark}")`).join('\n')
  await writeFile(join(options.cwd, 'print_json.py'), printJson.python)
  await writeFile(join(options.cwd, 'guide.py'), `from print_json import print\n${program}\n`)
  return run(python, ['guide.py'], options)
}

/** Strictly, as an editor of the reader would. */
async function checkTypes(guides, work) {
  const folder = join(work, 'types')
  await mkdir(folder)
  for (const { name, steps } of guides) {
    const code = programOf(steps.filter(({ snippets }) => snippets.ts)).replace(
      "import './print-json.mjs'\n",
      '',
    )
    await writeFile(join(folder, name.replace(/\.md$/, '.ts')), code)
  }
  const compilerOptions = {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    types: ['node'],
    skipLibCheck: true,
  }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['.'] }))
  await writeFile(join(work, 'package.json'), '{ "type": "module" }')
  const { stdout, failure } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { cwd: work })
  if (failure) throw new Error(`the types of the guides:\n${stdout}${failure}`)
}
