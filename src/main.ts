import { work, workerCommand } from './app/cluster.ts'
import { openTerminal } from './cli/open-terminal.ts'
import { run } from './cli/run.ts'

export async function main(): Promise<void> {
  // A reader that goes away, as `| head` does, must not end a running service.
  process.stdout.on('error', () => {})

  // A worker is started by the service itself and is not a command of the command line.
  if (process.argv[2] === workerCommand && process.send) await work()

  // Without a command, as with npx, the service is started.
  const [command = 'serve', ...rest] = process.argv.slice(2)
  process.exitCode = await run([command, ...rest], openTerminal(process.env))

  // Something may still keep the process alive, such as the socket of a client that never finished its
  // request. The timer itself does not, so a normal exit does not wait for it.
  setTimeout(() => process.exit(), 250).unref()
}
