/** Plays a till's part against a service and says, clause by clause, what holds. */
import { randomInt, randomUUID } from 'node:crypto'
import {
  Broken,
  type Clause,
  type Credentials,
  mustAccept,
  type Registered,
  type Till,
  Untried,
} from './clause.ts'
import { authentication } from './clauses/authentication.ts'
import { registration } from './clauses/registration.ts'
import { transactions } from './clauses/transactions.ts'
import { createSend } from './target.ts'

export interface Verdict {
  readonly section: string
  readonly id: string
  readonly text: string
  readonly outcome: 'holds' | 'broken' | 'untried'
  /** What was seen instead, or what is missing to try it. */
  readonly reason?: string
  readonly ms: number
}

export interface Report {
  /** What was looked at: a service, or a till that uses it. */
  readonly subject: 'service' | 'till'
  readonly target: string
  readonly at: string
  readonly verdicts: readonly Verdict[]
  readonly isConforming: boolean
}

export interface Options extends Credentials {
  readonly target: string
  readonly campaign: string
  onVerdict?(verdict: Verdict, done: number, of: number): void
}

const sections: readonly (readonly [string, readonly Clause[]])[] = [
  ['Authentication and errors', authentication],
  ['Registration', registration],
  ['Look-up and transactions', transactions],
]

export async function checkConformance(options: Options): Promise<Report> {
  const till = createTill(options)
  const verdicts: Verdict[] = []
  const of = sections.reduce((sum, [, clauses]) => sum + clauses.length, 0)
  for (const [section, clauses] of sections) {
    for (const clause of clauses) {
      const verdict = { section, ...(await judge(clause, till)) }
      verdicts.push(verdict)
      options.onVerdict?.(verdict, verdicts.length, of)
    }
  }
  const isConforming = verdicts.every(({ outcome }) => outcome !== 'broken')
  return { subject: 'service', target: options.target, at: new Date().toISOString(), verdicts, isConforming }
}

async function judge({ id, text, check }: Clause, till: Till): Promise<Omit<Verdict, 'section'>> {
  const from = performance.now()
  const verdict = (outcome: Verdict['outcome'], reason?: string) => ({
    id,
    text,
    outcome,
    ...(reason !== undefined && { reason }),
    ms: Math.round(performance.now() - from),
  })
  try {
    await check(till)
    return verdict('holds')
  } catch (error) {
    if (error instanceof Untried) return verdict('untried', error.message)
    if (error instanceof Broken) return verdict('broken', error.message)
    const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
    return verdict('broken', `${error instanceof Error ? error.message : String(error)}${cause}`)
  }
}

function createTill(options: Options): Till {
  const { target, campaign, apiKey, apiSecret, otherSecret } = options
  const send = createSend(target)
  let asked: Promise<string> | undefined
  const unique = () => randomUUID().replaceAll('-', '')

  async function ask(): Promise<string> {
    const headers = { 'x-api-key': apiKey, 'x-api-secret': apiSecret }
    const answer = await send('POST', '/auth/token', { headers })
    mustAccept(answer, 200)
    return answer.body.accessToken
  }

  const token = () => {
    asked ??= ask()
    return asked
  }

  async function register(data: object = {}, more: object = {}): Promise<Registered> {
    const own = { phone: newPhone(), email: `${unique()}@example.com`, fullname: 'Conformance', ...data }
    const body = { campaignId: campaign, customer: { data: own, ...more } }
    const answer = await send('POST', '/v1/customers/register', { token: await token(), body })
    mustAccept(answer, 201)
    const [card] = answer.body.cards ?? []
    return { id: answer.body.id, card: card?.id, barcode: card?.barcode, data: own, answer }
  }

  return { send, token, register, unique, campaign, apiKey, apiSecret, otherSecret }
}

/** Valid in the United States, and hardly ever twice. */
const newPhone = () => `+1 202 ${randomInt(200, 1000)} ${String(randomInt(10_000)).padStart(4, '0')}`
