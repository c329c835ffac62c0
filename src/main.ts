import { work, workerCommand } from './app/cluster.ts'
import { run } from './cli/run.ts'

export async function main(): Promise<void> {
  // A reader that goes away, as `| head` does, must not end a running service.
  process.stdout.on('error', () => {})

  // A worker is started by the service itself and is not a command of the command line.
  if (process.argv[2] === workerCommand && process.send) await work()

  // Without a command, as with npx, the service is started.
  const [command = 'serve', ...rest] = process.argv.slice(2)
  process.exitCode = await run([command, ...rest], {
    env: process.env,
    isInteractive: process.stdout.isTTY === true,
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  })

  // Something may still keep the process alive, such as the socket of a client that never finished its
  // request. The timer itself does not, so a normal exit does not wait for it.
  setTimeout(() => process.exit(), 250).unref()
}
