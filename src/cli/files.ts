import type { Command } from 'commander'
import { type ImportKind, importKinds } from '../domain/import.ts'
import { addCommand, type Context } from './command.ts'
import { addExportCommand } from './export.ts'
import { addImportCommand } from './import.ts'

/** Adds `import` and `export` to the command of each kind, which may have other commands already. */
export function fileCommands(program: Command, context: Context): void {
  for (const kind of importKinds) {
    const parent = program.commands.find((command) => command.name() === kind) ?? addGroup(program, kind)
    addImportCommand(parent, context, kind)
    addExportCommand(parent, context, kind)
  }
}

const addGroup = (program: Command, kind: ImportKind) =>
  addCommand(program, kind, `Import and export ${kind}.`, [
    `loyalty-wallet ${kind} import --help`,
    `loyalty-wallet ${kind} export ${kind}.csv`,
  ])
