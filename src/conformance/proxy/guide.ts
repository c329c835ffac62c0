/** Leads a tester through the scenes, and judges in the end what was seen. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Report, Verdict } from '../run.ts'
import { type ProxyOptions, type RunningProxy, startProxy } from './forward.ts'
import type { Rule } from './rule.ts'
import { type Scene, scenes } from './scenes.ts'
import { screenRules } from './screen-rules.ts'
import {
  type Exchange,
  isAccepted,
  isLookup,
  type SceneOutcome,
  type Session,
  type Shown,
} from './session.ts'
import { trafficRules } from './traffic-rules.ts'

/** The person at the till, or a script in their place. */
export interface Tester {
  onStart(url: string): void
  onScene(scene: Scene, n: number, of: number): void
  onExchange?(exchange: Exchange): void
  /** Resolves when the tester says that it is done, or that it cannot be done. */
  waitFor(scene: Scene, signal: AbortSignal): Promise<'done' | 'skip'>
  /** What the till shows; empty for nothing. */
  ask(scene: Scene, question: string): Promise<string>
}

export interface GuideOptions
  extends Pick<ProxyOptions, 'target' | 'port' | 'host' | 'acceptsAnyCertificate'> {
  readonly tester: Tester
  /** How long nothing may come before a scene counts as over. */
  readonly quietMs?: number
}

export const rules: readonly Rule[] = [...trafficRules, ...screenRules]

export async function guide(options: GuideOptions): Promise<Report> {
  const { tester, quietMs = 1_500 } = options
  const exchanges: Exchange[] = []
  const shown: Shown[] = []
  const outcomes: SceneOutcome[] = []
  let current = scenes[0]!
  const seen = () => exchanges.filter(({ scene }) => scene === current.id)
  const proxy = await startProxy({
    ...options,
    scene: () => current.id,
    faultFor: (request) => current.fault?.(request, seen()),
    onExchange(exchange) {
      exchanges.push(exchange)
      tester.onExchange?.(exchange)
    },
  })
  try {
    tester.onStart(proxy.url)
    for (const [i, scene] of scenes.entries()) {
      current = scene
      const balance = scene.isBehind ? await sellBehind(proxy, exchanges) : undefined
      if (scene.isBehind && balance === undefined) {
        outcomes.push({
          ...toOutcome(scene, 'skipped'),
          reason: 'no card was scanned before, or its balance does not change with a sale',
        })
        continue
      }
      tester.onScene(scene, i + 1, scenes.length)
      const said = await waitForScene(scene, tester, seen, proxy, quietMs)
      const isDone = scene.isDone(seen())
      const outcome = isDone ? 'done' : said === 'done' && scene.failure ? 'failed' : 'skipped'
      outcomes.push(toOutcome(scene, outcome))
      if (scene.question && isDone)
        shown.push(await askForShown(scene, scene.question, tester, balance, seen()))
    }
  } finally {
    await proxy.close()
  }
  return judge(options.target, { exchanges, shown, scenes: outcomes })
}

const toOutcome = ({ id, text, failure }: Scene, outcome: SceneOutcome['outcome']): SceneOutcome => ({
  id,
  text,
  outcome,
  ...(outcome === 'failed' && failure && { reason: failure }),
})

/** Until it is done and nothing more comes, or the tester says so. */
async function waitForScene(
  scene: Scene,
  tester: Tester,
  seen: () => readonly Exchange[],
  proxy: RunningProxy,
  quietMs: number,
): Promise<'done' | 'skip'> {
  const over = new AbortController()
  let said: 'done' | 'skip' | undefined
  let given: { readonly error: unknown } | undefined
  void tester.waitFor(scene, over.signal).then(
    (answer) => {
      said = answer
    },
    (error: unknown) => {
      given = { error }
    },
  )
  for (let quietSince = Date.now(), count = 0; said === undefined; await sleep(20)) {
    // A tester who has had enough.
    if (given) throw given.error
    const now = seen().length
    if (now !== count || proxy.pending > 0 || !scene.isDone(seen())) quietSince = Date.now()
    count = now
    if (Date.now() - quietSince >= quietMs) said = 'done'
  }
  over.abort()
  return said
}

interface Changed {
  readonly customer: string
  readonly key: string
  readonly value: number
}

/** A sale that the till does not know of, with its own token, for the card that it has scanned last. */
async function sellBehind(proxy: RunningProxy, exchanges: readonly Exchange[]): Promise<Changed | undefined> {
  const found = exchanges.findLast(
    (one) => isLookup(one) && isAccepted(one) && one.reply?.cards?.length > 0,
  )?.reply
  const customer = found?.customer ?? found?.id
  if (typeof customer !== 'string') return undefined
  const card = found.cards.find(({ status }: { status: number }) => status === 1) ?? found.cards[0]
  const opaqueId = `conformance-${crypto.randomUUID()}`
  const items = [{ name: 'At another till', quantity: 1, unitPrice: 25 }]
  const sale = await proxy.send('POST', '/v1/transactions/process', {
    customer,
    card: card.id,
    items,
    opaqueId,
  })
  const balances = JSON.parse(sale.body.toString())?.executedActions?.collectables ?? {}
  const [key, balance] = Object.entries<{ value: number }>(balances)[0] ?? []
  return key === undefined ? undefined : { customer, key, value: balance!.value }
}

async function askForShown(
  { id, ...scene }: Scene,
  what: 'amount' | 'balance',
  tester: Tester,
  changed: Changed | undefined,
  seen: readonly Exchange[],
): Promise<Shown> {
  const question =
    what === 'amount'
      ? 'Which amount does the till ask the customer for? (Enter for none)'
      : `Which balance of "${changed!.key}" does the till show? (Enter for none)`
  const value = readNumber(await tester.ask({ id, ...scene }, question))
  if (what === 'amount') return { scene: id, what, value }
  const isFresh = seen.some((one) => isLookup(one) && isAccepted(one))
  return { scene: id, what, value, expected: changed!.value, isFresh }
}

/** As people write it: `1,234.50`, `12,50 €`. */
export function readNumber(text: string): number | undefined {
  const digits = text.replace(/[^\d.,-]/g, '')
  if (digits === '') return undefined
  const isComma = /,\d{1,2}$/.test(digits)
  const value = Number(isComma ? digits.replaceAll('.', '').replace(',', '.') : digits.replaceAll(',', ''))
  return Number.isNaN(value) ? undefined : value
}

export function judge(target: string, session: Session): Report {
  const played = session.scenes.map(({ id, text, outcome, reason }): Verdict => {
    const verdict = { section: 'Scenes', id, text, ms: 0, ...(reason !== undefined && { reason }) }
    return { ...verdict, outcome: outcome === 'done' ? 'holds' : outcome === 'failed' ? 'broken' : 'untried' }
  })
  const judged = rules.map(({ id, section, text, check }): Verdict => {
    const found = check(session)
    const verdict = { section, id, text, ms: 0 }
    if (found === undefined) return { ...verdict, outcome: 'untried', reason: 'there was no occasion for it' }
    if (found.length === 0) return { ...verdict, outcome: 'holds' }
    return { ...verdict, outcome: 'broken', reason: summarize(found) }
  })
  const verdicts = [...played, ...judged]
  const required = new Set(scenes.filter(({ isOptional }) => !isOptional).map(({ id }) => id))
  const isWhole = played.every(({ id, outcome }) => outcome !== 'untried' || !required.has(id))
  return {
    subject: 'till',
    target,
    at: new Date().toISOString(),
    verdicts,
    isConforming: isWhole && verdicts.every(({ outcome }) => outcome !== 'broken'),
  }
}

const shownAtMost = 3

const summarize = (found: readonly string[]) =>
  found.length <= shownAtMost
    ? found.join('; ')
    : `${found.slice(0, shownAtMost).join('; ')}; and ${found.length - shownAtMost} more`
