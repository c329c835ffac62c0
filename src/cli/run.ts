/** The command line: arguments in, text or JSON out. Each command is a file of its own. */
import { Command } from 'commander'
import { serveCommand } from './serve.ts'

export async function run(args: readonly string[]): Promise<number> {
  const program = new Command('loyalty-wallet').description('Loyalty and wallet service for merchants.')
  let exitCode = 0
  program.addCommand(
    serveCommand((code) => {
      exitCode = code
    }),
  )
  await program.parseAsync([...args], { from: 'user' })
  return exitCode
}
