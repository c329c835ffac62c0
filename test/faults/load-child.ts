// The load: tills that register, sell, redeem, spend, take back and preview, as a process of its own, so that
// nothing that happens to the service or to the database can reach what it wrote down.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answered, isRefusal, type Operation, openCallLog, type Sent, writes } from './call-log.ts'
import { randomFrom } from './random.ts'
import { createSender, type Outgoing } from './send.ts'

export interface LoadPlan {
  readonly seed: number
  /** Several services on one database are used in turn, and now and then both get the same call at once. */
  readonly baseUrls: readonly string[]
  readonly apiKey: string
  readonly apiSecret: string
  readonly campaign: string
  readonly customers: number
  readonly clients: number
  /** Between a client's calls. */
  readonly pauseMs: number
  readonly logFile: string
}

export type LoadReport = { event: 'ready' } | { event: 'done' } | { event: 'failed'; reason: string }

interface Person {
  readonly customer: string
  readonly card: string
  points: number
  readonly coupons: string[]
  readonly sales: string[]
}

interface Planned extends Outgoing {
  readonly person?: Person
  readonly coupon?: string
}

const hotCustomers = 3
const hotShare = 0.3
const resendTimeoutMs = 60_000

async function runLoad(plan: LoadPlan, stopped: Promise<void>): Promise<void> {
  const log = openCallLog(plan.logFile)
  const send = createSender(plan)
  const people: Person[] = []
  const unsettled: { call: string; planned: Planned; attempts: number }[] = []
  // Receipt numbers and keys are this run's own, whatever was run on the database before.
  const run = randomUUID().slice(0, 8)
  let calls = 0
  let isStopping = false

  /** Sends a call once and writes down both sides of it. */
  async function exchange(
    call: string,
    attempt: number,
    planned: Planned,
    to: number,
  ): Promise<Answered | undefined> {
    const { operation, route, receipt, key, coupon } = planned
    const sent: Sent = { kind: 'sent', at: Date.now(), call, attempt, operation, route, receipt, key, coupon }
    log(sent)
    try {
      const answer = await send(planned, `${call}.${attempt}`, to)
      const answered: Answered = { kind: 'answered', at: Date.now(), call, attempt, ...answer }
      log(answered)
      return answered
    } catch (error) {
      log({ kind: 'unanswered', at: Date.now(), call, attempt, reason: String(error) })
      return undefined
    }
  }

  async function perform(planned: Planned, random: () => number): Promise<void> {
    const call = `${run}-${++calls}`
    const numbered = { ...planned, ...numberOf(planned, call, random) }
    const to = Math.floor(random() * plan.baseUrls.length)
    const isWrite = writes.includes(planned.operation)
    // Two tills with one receipt: the same call reaches two processes at the same moment.
    const isDoubled = isWrite && plan.baseUrls.length > 1 && random() < 0.1
    const answers = await Promise.all([
      exchange(call, 1, numbered, to),
      ...(isDoubled ? [exchange(call, 2, numbered, to + 1)] : []),
    ])
    if (!isWrite) return
    const settled = answers.find((answer) => answer && (answer.status < 300 || isRefusal(answer)))
    if (settled) learn(numbered, settled)
    else unsettled.push({ call, planned: numbered, attempts: answers.length })
    // A till that cannot reach anybody does not try hundreds of times a second.
    if (!settled && !isStopping) await sleep(250)
  }

  /** What the answer says can be redeemed, spent and taken back later. */
  function learn({ operation, person }: Planned, answer: Answered): void {
    if (answer.status >= 300) return
    if (operation === 'register' && answer.customer && answer.card) {
      people.push({ customer: answer.customer, card: answer.card, points: 0, coupons: [], sales: [] })
    }
    if (!person) return
    if (operation === 'sale') person.sales.push(answer.id!)
    for (const action of answer.actions ?? []) {
      if (action.type === 'grant_coupon') person.coupons.push(action.coupon!)
      if (action.type === 'collect' && action.key === 'points') person.points += action.amount!
      if (action.type === 'spend_points') person.points -= action.amount!
    }
    if (person.sales.length > 20) person.sales.shift()
    if (person.coupons.length > 20) person.coupons.shift()
  }

  function choose(random: () => number): Planned {
    const among = random() < hotShare ? hotCustomers : people.length
    const person = people[Math.floor(random() * among)]!
    const dice = random()
    if (dice < 0.04) return registration(plan.campaign)
    if (dice < 0.5) return sale(person, { items: lines(random) })
    if (dice < 0.6)
      return sale(person, { items: lines(random), ...(person.points >= 100 && { pointsToSpend: 10 }) })
    if (dice < 0.75) return redemption(person, random)
    if (dice < 0.83) return giveBack(person, random)
    if (dice < 0.93)
      return {
        operation: 'preview',
        route: '/v1/transactions/validate',
        path: '/v1/transactions/validate',
        body: { customer: person.customer, card: person.card, items: lines(random) },
      }
    return { operation: 'read', route: '/v1/customers/:id', path: `/v1/customers/${person.customer}` }
  }

  async function client(number: number): Promise<void> {
    const random = randomFrom(plan.seed * 1_000 + number)
    while (!isStopping) {
      await perform(choose(random), random)
      await sleep(plan.pauseMs * random() * 2)
    }
  }

  /** What got no answer that settles it is sent again, as it was, until it does. */
  async function settle(): Promise<void> {
    const deadline = Date.now() + resendTimeoutMs
    const worker = async () => {
      for (let next = unsettled.shift(); next; next = unsettled.shift()) {
        const { call, planned } = next
        for (let isSettled = false; !isSettled && Date.now() < deadline; ) {
          const answer = await exchange(call, ++next.attempts, planned, next.attempts)
          isSettled = answer !== undefined && (answer.status < 300 || isRefusal(answer))
          if (!isSettled) await sleep(200)
        }
      }
    }
    await Promise.all(Array.from({ length: plan.clients }, worker))
  }

  const first = randomFrom(plan.seed)
  while (people.length < plan.customers) {
    const missing = Array.from({ length: plan.customers - people.length })
    await Promise.all(missing.map(() => perform(registration(plan.campaign), first)))
  }
  report({ event: 'ready' })
  const clients = Array.from({ length: plan.clients }, (_, i) => client(i + 1))
  await stopped
  isStopping = true
  await Promise.all(clients)
  await settle()
}

function registration(campaign: string): Planned {
  return {
    operation: 'register',
    route: '/v1/customers/register',
    path: '/v1/customers/register',
    body: { campaignId: campaign, customer: { data: { fullname: 'Somebody' } } },
  }
}

function sale(person: Person, basket: object): Planned {
  const path = '/v1/transactions/process'
  return {
    operation: 'sale',
    route: path,
    path,
    person,
    body: { customer: person.customer, card: person.card, ...basket },
  }
}

/** Coupons are not taken off the list, so that many try to redeem the same one. */
function redemption(person: Person, random: () => number): Planned {
  const coupon = person.coupons[Math.floor(random() * person.coupons.length)]
  if (!coupon) return sale(person, { items: lines(random) })
  const items = [{ product: 'latte', quantity: 1, unitPrice: 3.5, discountedAmount: 0, reward: coupon }]
  return { ...sale(person, { items }), coupon }
}

function giveBack(person: Person, random: () => number): Planned {
  const of = person.sales[Math.floor(random() * person.sales.length)]
  if (!of) return sale(person, { items: lines(random) })
  const path = `/v1/transactions/${of}/return`
  return { operation: 'return', route: '/v1/transactions/:id/return', path, person, body: {} }
}

function lines(random: () => number): object[] {
  const coffee = { product: 'latte', quantity: 1 + Math.floor(random() * 3), unitPrice: 3.5 }
  return random() < 0.5 ? [coffee] : [coffee, { product: 'croissant', quantity: 1, unitPrice: 3 }]
}

/** What makes a repeat safe: a receipt number, a key, or both. */
function numberOf({ operation, body }: Planned, call: string, random: () => number): Partial<Planned> {
  if (!writes.includes(operation as Operation)) return {}
  const dice = operation === 'register' ? 1 : random()
  const receipt = dice < 0.7 ? `R-${call}` : undefined
  const key = dice >= 0.5 ? `K-${call}` : undefined
  return { receipt, key, body: receipt ? { ...(body as object), opaqueId: receipt } : body }
}

function report(message: LoadReport): void {
  process.send?.(message)
}

let stop = () => {}
const stopped = new Promise<void>((resolve) => {
  stop = resolve
})
process.on('message', (message: LoadPlan | 'stop') => {
  if (message === 'stop') return stop()
  runLoad(message, stopped)
    .then(() => report({ event: 'done' }))
    .catch((error) => report({ event: 'failed', reason: String(error?.stack ?? error) }))
})
process.on('disconnect', () => process.exit(0))
