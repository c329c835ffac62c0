// Runs the tour of README.md as a reader would: starts the service with `npm start` in an empty data folder,
// pastes every block marked `sh tour` into one shell, and compares what it prints with the `text output`
// block that follows. There, `…` stands for anything that differs between two runs. The tour is taken twice:
// in bash, and in the plainest shell there is, because a reader's `sh` may be either.
import { execFileSync, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { startDemoService } from './demo-service.mjs'

const startedAt = performance.now()
let service
try {
  // A few days of the past are enough for the tour.
  service = await startDemoService({ DEMO_DAYS: '3' })
  console.log(`The service was ready after ${Math.round(performance.now() - startedAt)} ms, build included.`)
  const blocks = readTour(await readFile(new URL('../README.md', import.meta.url), 'utf8'))
  const shells = [
    ['bash', '-euo', 'pipefail'],
    [plainShell(), '-eu'],
  ]
  for (const shell of shells) await takeTour(blocks, shell, service.folder)
  const names = shells.map(([name]) => name).join(' and ')
  console.log(
    `The tour of the README works in ${names}: ${blocks.length} blocks printed what the README shows.`,
  )
} catch (error) {
  if (service) console.error(service.log())
  console.error(`The tour of the README fails: ${error.message}`)
  process.exitCode = 1
} finally {
  await service?.stop()
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

async function takeTour(blocks, shell, folder) {
  const outputs = await paste(blocks, shell, folder)
  console.log(`\nIn ${shell[0]}:`)
  for (const [i, { code, expected }] of blocks.entries()) {
    console.log(`\n${code.replaceAll(/^/gm, '$ ')}\n${outputs[i]}`)
    if (expected !== undefined && !matches(expected, outputs[i])) {
      throw new Error(`In ${shell[0]}, the output differs from what the README shows:\n${expected}`)
    }
  }
}

/** Runs all blocks in one shell, because later ones use the variables of earlier ones. */
async function paste(blocks, [name, ...options], folder) {
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
