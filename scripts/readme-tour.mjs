// Runs the tour of README.md as a reader would: starts the service with `npm start` in an empty data folder,
// pastes every block marked `sh tour` into one shell, and compares what it prints with the `text output`
// block that follows. There, `…` stands for anything that differs between two runs. The tour is taken twice:
// in bash, and in the plainest shell there is, because a reader's `sh` may be either.
import { execFileSync, spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
// The first start also fills the demo.
const startTimeoutMs = 60_000

const folder = await mkdtemp(join(tmpdir(), 'lw-tour-'))
// Under root, PostgreSQL runs as another user, who needs access to this folder.
await chmod(folder, 0o755)
const startedAt = performance.now()
const service = spawn('npm', ['start'], {
  cwd: root,
  env: { ...process.env, PORT: '0', HOST: '127.0.0.1', DATA_DIR: join(folder, 'data'), DATABASE_URL: '' },
  stdio: ['ignore', 'pipe', 'inherit'],
})
let log = ''
service.stdout.on('data', (chunk) => {
  log += chunk
})
const ended = new Promise((resolve) => service.once('exit', resolve))

try {
  await waitForDemo()
  console.log(`The service was ready after ${Math.round(performance.now() - startedAt)} ms, build included.`)
  const blocks = readTour(await readFile(join(root, 'README.md'), 'utf8'))
  const shells = [
    ['bash', '-euo', 'pipefail'],
    [plainShell(), '-eu'],
  ]
  for (const shell of shells) await takeTour(blocks, shell)
  const names = shells.map(([name]) => name).join(' and ')
  console.log(
    `The tour of the README works in ${names}: ${blocks.length} blocks printed what the README shows.`,
  )
} catch (error) {
  console.error(log)
  console.error(`The tour of the README fails: ${error.message}`)
  process.exitCode = 1
} finally {
  service.kill('SIGTERM')
  await ended
  await rm(folder, { recursive: true, force: true })
}

/** The service writes `demo.json` once it accepts requests. */
async function waitForDemo() {
  const until = Date.now() + startTimeoutMs
  let hasEnded = false
  void ended.then(() => {
    hasEnded = true
  })
  while (!(await readFile(join(folder, 'data/demo.json')).catch(() => undefined))) {
    if (hasEnded) throw new Error('the service ended before it was ready')
    if (Date.now() > until) throw new Error(`the service was not ready after ${startTimeoutMs / 1000} s`)
    await sleep(50)
  }
}

function readTour(markdown) {
  const blocks = []
  for (const [, kind, text] of markdown.matchAll(/^```(sh tour|text output)\n(.*?)^```$/gms)) {
    if (kind === 'sh tour') blocks.push({ code: text.trimEnd() })
    else blocks.at(-1).expected = text.trimEnd()
  }
  if (blocks.length === 0) throw new Error('README.md has no block marked `sh tour`')
  return blocks
}

/** `dash` has nothing but what POSIX asks for; where it is not installed, `sh` is what readers have. */
function plainShell() {
  return execFileSync('sh', ['-c', 'command -v dash || command -v sh'], { encoding: 'utf8' }).trim()
}

async function takeTour(blocks, shell) {
  const outputs = await paste(blocks, shell)
  console.log(`\nIn ${shell[0]}:`)
  for (const [i, { code, expected }] of blocks.entries()) {
    console.log(`\n${code.replaceAll(/^/gm, '$ ')}\n${outputs[i]}`)
    if (expected !== undefined && !matches(expected, outputs[i])) {
      throw new Error(`In ${shell[0]}, the output differs from what the README shows:\n${expected}`)
    }
  }
}

/** Runs all blocks in one shell, because later ones use the variables of earlier ones. */
async function paste(blocks, [name, ...options]) {
  const mark = '@@ next block @@'
  const script = blocks.map(({ code }) => `${code}\necho '${mark}'`).join('\n')
  const shell = spawn(name, [...options, '-c', script], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  shell.stdout.on('data', (chunk) => {
    output += chunk
  })
  const code = await new Promise((resolve) => shell.once('close', resolve))
  const outputs = output.split(`${mark}\n`)
  if (code !== 0) {
    const failed = blocks[outputs.length - 1]
    throw new Error(`in ${name}, this block exited with code ${code}:\n${failed?.code}\n${outputs.at(-1)}`)
  }
  return outputs.map((text) => text.trimEnd())
}

function matches(expected, actual) {
  const pattern = expected.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${pattern.join('.*?')}$`, 's').test(actual)
}
