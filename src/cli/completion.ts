import { Argument, type Command } from 'commander'
import { addCommand, type Context } from './command.ts'
import { type CompletionNode, toScript } from './completion-scripts.ts'

export function completionCommand(program: Command, { report }: Context): void {
  addCommand(program, 'completion', 'Print a script that lets a shell complete commands and options.', [
    'eval "$(loyalty-wallet completion bash)"',
    'loyalty-wallet completion zsh > ~/.zfunc/_loyalty-wallet',
    'loyalty-wallet completion fish > ~/.config/fish/completions/loyalty-wallet.fish',
  ])
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh', 'fish']))
    .action((shell: 'bash' | 'zsh' | 'fish') => {
      const text = toScript(shell, listNodes(program))
      report({ text: text.trimEnd(), json: { shell, script: text } })
    })
}

export function listNodes(command: Command, path: readonly string[] = []): CompletionNode[] {
  const below = command.commands.filter((one) => one.name() !== 'help')
  const words = [
    ...below.map((one) => ({ word: one.name(), text: one.description() })),
    ...command.registeredArguments.flatMap(({ argChoices, description }) =>
      (argChoices ?? []).map((word) => ({ word, text: description })),
    ),
    ...command.options
      .filter(({ hidden }) => !hidden)
      .map(({ long, short, description }) => ({ word: (long ?? short)!, text: description })),
    { word: '--help', text: 'show help for a command' },
  ]
  return [{ path, words }, ...below.flatMap((one) => listNodes(one, [...path, one.name()]))]
}
