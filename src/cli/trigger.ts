import type { Command } from 'commander'
import type { Schemas } from '../../sdk/src/index.ts'
import type { CommandOutput, Context } from './command.ts'
import { toLine } from './events.ts'
import { Failure, misused } from './failure.ts'
import { followEvents, type LoyaltyEvent } from './follow-events.ts'
import { addServiceCommand, type ServiceOptions, withWallet } from './open-wallet.ts'
import { createStage, type Trigger, triggers } from './triggers.ts'

export function triggerCommand(program: Command, context: Context): void {
  const width = Math.max(...Object.keys(triggers).map((name) => name.length))
  const list = Object.entries(triggers).map(([name, { text }]) => `  ${name.padEnd(width)}  ${text}`)
  addServiceCommand(
    program,
    'trigger',
    'Make an event happen in the demo or a test organization, with new customers.',
    ['loyalty-wallet trigger transaction.processed', 'loyalty-wallet trigger coupon.granted --json'],
  )
    .argument('<event>', 'what is to happen, see below')
    .option('--campaign <id>', 'the published campaign to use (default: the first one)')
    .addHelpText('after', `\nEvents:\n${list.join('\n')}`)
    .action(async (event: string, options: ServiceOptions & { campaign?: string }) =>
      context.report(await trigger(context, event, options)),
    )
}

/** What is made up must not be counted among a merchant's real sales. */
export const mayTrigger = ({ isDemo, mode }: Pick<Schemas['Organization'], 'isDemo' | 'mode'>): boolean =>
  isDemo || mode === 'test'

async function trigger(
  context: Context,
  event: string,
  options: ServiceOptions & { campaign?: string },
): Promise<CommandOutput> {
  const found: Trigger | undefined = Object.hasOwn(triggers, event)
    ? triggers[event as keyof typeof triggers]
    : undefined
  if (!found) throw misused(`"${event}" cannot be triggered. Events: ${Object.keys(triggers).join(', ')}.`)
  return withWallet(context, options, async (wallet, { campaign }) => {
    const organization = await wallet.getOrganization()
    if (!mayTrigger(organization))
      throw new Failure(
        'not_for_tests',
        `${organization.name} is neither the demo nor a test organization, and nothing is made up in a real one. Use another profile: that of a test organization, or of a service with the demo.`,
      )
    const { cursor } = await wallet.listEvents({ after: 'latest' })
    await found.make(await createStage(wallet, options.campaign ?? campaign))
    const happened: LoyaltyEvent[] = []
    const follow = {
      since: { after: cursor },
      isOnce: true,
      signal: AbortSignal.timeout(30_000),
      note: context.note,
    }
    for await (const one of followEvents(wallet, follow)) happened.push(one)
    if (!happened.some(({ type }) => type === event))
      throw new Failure(
        'not_triggered',
        `Everything was done for ${event}, but it did not happen: the campaign may not have what it needs. Try another one with --campaign.`,
      )
    return { text: happened.map((one) => toLine(context, one)).join('\n'), json: { data: happened } }
  })
}
