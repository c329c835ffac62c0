// Runs the tour of README.md as a reader would: starts the service with `npm start` in an empty data folder,
// pastes every block marked `sh tour`, and compares what they print with what the README shows. The tour is taken
// twice: in bash, and in the plainest shell there is, because a reader's `sh` may be either.
import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { startDemoService } from './demo-service.mjs'
import { matchesOutput, pasteBlocks, readBlocks } from './paste-blocks.mjs'

const startedAt = performance.now()
let service
try {
  // A few days of the past are enough for the tour.
  service = await startDemoService({ DEMO_DAYS: '3' })
  console.log(`The service was ready after ${Math.round(performance.now() - startedAt)} ms, build included.`)
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const blocks = readBlocks(readme, ['sh tour'])
  if (blocks.length === 0) throw new Error('README.md has no block marked `sh tour`')
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

/** `dash` has nothing but what POSIX asks for; where it is not installed, `sh` is what readers have. */
function plainShell() {
  return execFileSync('sh', ['-c', 'command -v dash || command -v sh'], { encoding: 'utf8' }).trim()
}

async function takeTour(blocks, shell, folder) {
  const outputs = await pasteBlocks(blocks, shell, { cwd: folder })
  console.log(`\nIn ${shell[0]}:`)
  for (const [i, { code, expected }] of blocks.entries()) {
    console.log(`\n${code.replaceAll(/^/gm, '$ ')}\n${outputs[i]}`)
    if (expected !== undefined && !matchesOutput(expected, outputs[i])) {
      throw new Error(`In ${shell[0]}, the output differs from what the README shows:\n${expected}`)
    }
  }
}
