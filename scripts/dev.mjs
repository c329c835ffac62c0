// The service and the pages while they are being written: a change of src is bundled and the service started again,
// a change of console is shown by Vite, which asks the service for everything else. PORT is that of the service.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { context } from 'esbuild'
import { createServer } from 'vite'
import { bundle } from './bundle.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

const pages = await createServer({ configFile: join(root, 'console/vite.config.ts') })
await pages.listen()
// Vite would end the process at once, and the service would stay behind.
process.removeAllListeners('SIGTERM')
const [address] = pages.resolvedUrls.local

let service
let isEnding = false
/** One after the other: a change may come while the service before it is still stopping. */
let last = Promise.resolve()

const watching = await context({
  ...bundle,
  plugins: [
    ...bundle.plugins,
    {
      name: 'start-again',
      setup(build) {
        build.onEnd(({ errors }) => {
          // What is wrong esbuild has said; the service goes on as it was.
          if (errors.length === 0) last = last.then(startAgain)
        })
      },
    },
  ],
})
await watching.watch()

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, end)

async function startAgain() {
  await stop()
  if (isEnding) return
  service = spawn(process.execPath, [join(root, 'dist/loyalty-wallet.js'), 'serve'], {
    cwd: root,
    // Links lead to the pages that reload.
    env: { PUBLIC_URL: new URL(address).origin, ...process.env },
    stdio: 'inherit',
  })
  service.once('exit', (code) => {
    if (code) console.error(`The service ended with code ${code}. It is started again after the next change.`)
  })
  console.log(`Pages that reload: ${address}console and ${address}till`)
}

async function stop() {
  if (!service || service.exitCode !== null || service.signalCode !== null) return
  const gone = once(service, 'exit')
  service.kill('SIGTERM')
  await gone
}

/** A terminal sends Ctrl-C to the service as well, which does not mind being told twice. */
async function end() {
  if (isEnding) return
  isEnding = true
  await last
  await stop()
  await Promise.all([watching.dispose(), pages.close()])
  process.exit()
}
