import { work, workerCommand } from './app/cluster.ts'
import { run } from './cli/run.ts'

export async function main(): Promise<void> {
  // A reader that goes away, as `| head` does, must not take a running service with it.
  process.stdout.on('error', () => {})

  // A worker is started by the service itself and is no command of the command line.
  if (process.argv[2] === workerCommand && process.send) await work()

  // Whoever types the name alone, as with npx, wants to see it run.
  const [command = 'serve', ...rest] = process.argv.slice(2)
  process.exitCode = await run([command, ...rest], {
    env: process.env,
    isInteractive: process.stdout.isTTY === true,
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  })

  // Whatever still holds the process, such as the socket of a client that never finished its request, has had its
  // time. The timer itself holds nothing, so an ordinary end does not wait for it.
  setTimeout(() => process.exit(), 250).unref()
}
