import { mkdir, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Command } from 'commander'
import { type ApplyOptions, applyFiles } from './apply-campaigns.ts'
import {
  compareDefinitions,
  fingerprint,
  readCampaignFiles,
  toDefinition,
  toFileName,
  writeCampaignFile,
} from './campaign-files.ts'
import { addCommand, type CommandOutput, type Context } from './command.ts'
import { findCampaign, listCampaigns, toChangeLines } from './compare-campaigns.ts'
import { addServiceCommand, type ServiceOptions, withWallet } from './open-wallet.ts'
import { toTable } from './table.ts'

interface FileOptions extends ServiceOptions {
  readonly file: string
}

export function campaignsCommand(program: Command, context: Context): void {
  const group = addCommand(program, 'campaigns', 'Keep campaigns as files in git, and apply what changed.', [
    'loyalty-wallet campaigns pull campaigns',
    'loyalty-wallet campaigns diff -f campaigns',
    'loyalty-wallet campaigns apply -f campaigns --publish',
  ])
  addServiceCommand(group, 'list', 'List the campaigns.', [
    'loyalty-wallet campaigns list',
    'loyalty-wallet campaigns list --json',
  ]).action(async (options: ServiceOptions) => context.report(await list(context, options)))
  addServiceCommand(group, 'pull', 'Write the drafts of the campaigns to files, one for each.', [
    'loyalty-wallet campaigns pull',
    'loyalty-wallet campaigns pull campaigns',
  ])
    .argument('[directory]', 'where to write the files', 'campaigns')
    .option('--archived', 'also those that are archived')
    .action(async (folder: string, options: ServiceOptions & { archived?: boolean }) =>
      context.report(await pull(context, folder, options)),
    )
  addServiceCommand(
    group,
    'diff',
    'Compare files with the service, field by field; exit with 1 if they differ.',
    [
      'loyalty-wallet campaigns diff -f campaigns',
      'loyalty-wallet campaigns diff -f campaigns/coffee-club.json --json',
    ],
  )
    .requiredOption('-f, --file <path>', 'a file, or a directory with files')
    .action(async (options: FileOptions) => context.report(await diff(context, options)))
  addServiceCommand(
    group,
    'apply',
    'Make the drafts of the service what the files say, after showing a plan.',
    [
      'loyalty-wallet campaigns apply -f campaigns',
      'loyalty-wallet campaigns apply -f campaigns --publish --yes',
    ],
  )
    .requiredOption('-f, --file <path>', 'a file, or a directory with files')
    .option('--publish', 'publish what has changes that are not published yet')
    .option('--force', 'also overwrite a draft that was changed since it was pulled')
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      '\nA file without "id" is that of the campaign with its name, or of a new one. After it was applied, its "id" and "base" are written into the file: commit them.',
    )
    .action(async (options: ApplyOptions) => context.report(await applyFiles(context, options)))
}

function list(context: Context, options: ServiceOptions): Promise<CommandOutput> {
  return withWallet(context, options, async (wallet) => {
    const campaigns = await listCampaigns(wallet)
    const rows = campaigns.map(({ id, name, status, version, hasChanges }) => {
      const published = version === 0 ? '' : ` v${version}${hasChanges ? ' + changes' : ''}`
      return [id, name, `${status}${published}`]
    })
    const head = ['id', 'name', 'status']
    const styleHead = (text: string) => context.style('bold', text)
    return {
      text:
        rows.length === 0
          ? 'There are no campaigns yet. Write one to a file, and apply it: loyalty-wallet campaigns apply -f FILE'
          : toTable(head, rows, { columns: context.columns, styleHead }),
      json: { data: campaigns },
    }
  })
}

function pull(
  context: Context,
  folder: string,
  options: ServiceOptions & { archived?: boolean },
): Promise<CommandOutput> {
  return withWallet(context, options, async (wallet) => {
    const campaigns = (await listCampaigns(wallet)).filter(
      ({ status }) => options.archived || status !== 'archived',
    )
    await mkdir(folder, { recursive: true })
    const hasFiles = (await readdir(folder)).some((name) => name.endsWith('.json'))
    const present = hasFiles ? await readCampaignFiles(folder) : []
    const taken = new Set(present.map(({ path }) => basename(path)))
    const written: { path: string; id: string; isChanged: boolean }[] = []
    for (const campaign of campaigns) {
      const definition = toDefinition(campaign)
      // A file keeps the name that somebody has given it.
      let path = present.find(({ id }) => id === campaign.id)?.path
      if (path === undefined) {
        const name = toFileName(campaign.name, taken)
        taken.add(name)
        path = join(folder, name)
      }
      const file = { path, id: campaign.id, base: fingerprint(definition), definition }
      written.push({ path, id: campaign.id, isChanged: await writeCampaignFile(file) })
    }
    const lines = written.map(({ path, isChanged }) => `${isChanged ? 'wrote    ' : 'unchanged'}  ${path}`)
    return {
      text: lines.length > 0 ? lines.join('\n') : 'There are no campaigns to write.',
      json: { data: written },
    }
  })
}

function diff(context: Context, options: FileOptions): Promise<CommandOutput> {
  return withWallet(context, options, async (wallet) => {
    const files = await readCampaignFiles(options.file)
    const campaigns = await listCampaigns(wallet)
    const compared = files.map((file) => {
      const campaign = findCampaign(file, campaigns)
      const changes = campaign ? compareDefinitions(toDefinition(campaign), file.definition) : []
      return { path: file.path, id: campaign?.id, isNew: campaign === undefined, changes }
    })
    const differing = compared.filter(({ isNew, changes }) => isNew || changes.length > 0)
    const lines = differing.flatMap(({ path, id, isNew, changes }) => [
      context.style('bold', isNew ? `${path}: not on the service` : `${path} (${id})`),
      ...toChangeLines(context, changes),
    ])
    return {
      text: [
        ...lines,
        differing.length === 0
          ? `${files.length === 1 ? 'The file is' : `All ${files.length} files are`} as on the service.`
          : `${differing.length} of ${files.length} differ (- service, + file).`,
      ].join('\n'),
      json: { isSame: differing.length === 0, data: compared },
      exitCode: differing.length === 0 ? 0 : 1,
    }
  })
}
