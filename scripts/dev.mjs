// Runs the service and the pages during development: a change to src is bundled and the service restarted, a
// change to console is shown by Vite, which proxies everything else to the service. PORT is the service's
// port.
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
// Vite would end the process immediately and leave the service running.
process.removeAllListeners('SIGTERM')
const [address] = pages.resolvedUrls.local

let service
let isEnding = false
/** Restarts run one after the other: a change may arrive while the previous service is still stopping. */
let last = Promise.resolve()

const watching = await context({
  ...bundle,
  plugins: [
    ...bundle.plugins,
    {
      name: 'start-again',
      setup(build) {
        build.onEnd(({ errors }) => {
          // esbuild has already printed the errors; the service keeps running as it was.
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
    // Links lead to the pages with hot reload.
    env: { PUBLIC_URL: new URL(address).origin, ...process.env },
    stdio: 'inherit',
  })
  service.once('exit', (code) => {
    if (code) console.error(`The service exited with code ${code}. It restarts after the next change.`)
  })
  console.log(`Pages with hot reload: ${address}console and ${address}till`)
}

async function stop() {
  if (!service || service.exitCode !== null || service.signalCode !== null) return
  const gone = once(service, 'exit')
  service.kill('SIGTERM')
  await gone
}

/** A terminal sends Ctrl-C to the service as well; a second signal does no harm. */
async function end() {
  if (isEnding) return
  isEnding = true
  await last
  await stop()
  await Promise.all([watching.dispose(), pages.close()])
  process.exit()
}
