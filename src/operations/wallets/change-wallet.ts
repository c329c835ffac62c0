/**
 * The spine of every change of one wallet but the basket's, which comes in groups: load → decide → write, in two round
 * trips. The answer is kept for its idempotency key and the audit log is written in the message that writes the
 * change, so that all of it is there or nothing. What was refused leaves nothing behind, not even the key.
 */
import { Refused } from '../../domain/refusal.ts'
import { localDay } from '../../engine/clock/local-time.ts'
import { auditEntryStep } from '../../store/audit-entries.ts'
import { insertReply, storedReply } from '../../store/idempotency.ts'
import {
  type Answers,
  ask,
  type Question,
  type Questions,
  type Step,
  together,
} from '../../store/question.ts'
import { setupVersion } from '../../store/setup.ts'
import type { Tenant } from '../../store/tenant.ts'
import type { WalletChange } from '../../store/wallets/change.ts'
import { type LoadedWallet, lockWallet, type Owned, walletOf } from '../../store/wallets/load.ts'
import { writeWallets } from '../../store/wallets/write.ts'
import type { Deps } from '../deps.ts'
import { fingerprint } from '../fingerprint.ts'
import type { Setup } from '../organizations/setup-cache.ts'
import {
  type Answer,
  type AuditNote,
  replayOf,
  toAuditEntry,
  type WriteCall,
  type WriteResult,
} from '../transact.ts'
import { type Attempt, type AttemptResult, deferred, done, runAttempts } from './attempts.ts'

export interface WalletWork<Q extends Questions, Result> {
  /** Whose wallet it is: a customer's, or that of the customer to whom a sale or a coupon belongs. */
  readonly of: Owned
  /** What the change is decided on beside the wallet, asked in the same round trip. */
  questions(tenant: Tenant): Q
  /** What is to be written, and what came of it. A refusal is thrown. */
  decide(known: Known<Q>): Promise<Decided<Result>> | Decided<Result>
  /** Whether `decide` would find what an earlier attempt has written. */
  readonly isFindable?: boolean
}

/** For what is decided on the wallet alone. */
export type NoQuestions = Record<never, never>

export interface Known<Q extends Questions> {
  readonly tenant: Tenant
  /** Undefined when there is no such customer, or no longer. */
  readonly wallet: LoadedWallet | undefined
  readonly answers: Answers<Q>
  readonly setup: Setup
  readonly now: Date
}

export interface Decided<Result> {
  readonly result: Result
  /** Undefined when the call was made before and there is nothing left to do. */
  readonly change?: WalletChange
  /** What else is written with the change. */
  readonly alongside?: readonly Step[]
}

export async function changeWallet<Q extends Questions, Result>(
  deps: Deps,
  org: number,
  work: WalletWork<Q, Result>,
): Promise<Result> {
  return run(deps, org, work, { finish: (result) => ({ value: result, alongside: [] }) })
}

/** What is answered and noted when the change was made. */
export interface Reply<Result> {
  readonly call: WriteCall
  answer(result: Result): Answer
  audit(result: Result, body: unknown): AuditNote | undefined
}

/** The same for a call: its answer, the first one or the same again. */
export async function performChange<Q extends Questions, Result>(
  deps: Deps,
  org: number,
  work: WalletWork<Q, Result>,
  reply: Reply<Result>,
): Promise<WriteResult> {
  const { key, route, body } = reply.call
  const repeat = key === undefined ? undefined : { route, key, fingerprint: fingerprint(body) }
  return run(deps, org, work, {
    earlier: repeat && ((tenant) => replayedAnswer(tenant, repeat)),
    finish(result, tenant, now) {
      const answered = reply.answer(result)
      const note = reply.audit(result, answered.body)
      const { status, customer } = answered
      const kept = repeat && { ...repeat, status, customer, now, reply: JSON.stringify(answered.body) }
      return {
        value: { ...answered, isReplay: false },
        alongside: [
          ...(note ? [auditEntryStep(tenant, toAuditEntry(note, now))] : []),
          ...(kept ? [insertReply(tenant, kept)] : []),
        ],
      }
    },
  })
}

function replayedAnswer(
  tenant: Tenant,
  { route, key, fingerprint: print }: { route: string; key: string; fingerprint: Buffer },
): Question<WriteResult | undefined> {
  const { steps, read } = storedReply(tenant, route, key)
  return {
    steps,
    read(rows) {
      const stored = read(rows)
      return stored && replayOf(stored, print)
    },
  }
}

interface Frame<Result, T> {
  /** What the call was answered before, if it was. */
  readonly earlier?: (tenant: Tenant) => Question<T | undefined>
  /** What it is answered now, and what is written with the change. */
  finish(
    result: Result,
    tenant: Tenant,
    now: Date,
  ): { readonly value: T; readonly alongside: readonly Step[] }
}

async function run<Q extends Questions, Result, T>(
  deps: Deps,
  org: number,
  work: WalletWork<Q, Result>,
  frame: Frame<Result, T>,
): Promise<T> {
  const [outcome] = await runAttempts(deps.pool, org, [work], {
    isFindable: work.isFindable ?? false,
    run: async (tenant, _jobs, attempt) => [await runOnce(deps, tenant, work, frame, attempt)],
  })
  if (outcome!.kind === 'failed') throw outcome!.error
  return outcome!.result
}

async function runOnce<Q extends Questions, Result, T>(
  deps: Deps,
  tenant: Tenant,
  work: WalletWork<Q, Result>,
  frame: Frame<Result, T>,
  { mode, beginToCommit }: Attempt,
): Promise<AttemptResult<T>> {
  if (mode !== 'read') {
    const isLocked = await lockWallet(tenant, work.of, { skipsBusy: mode === 'lock idle' })
    if (!isLocked && mode === 'lock idle') return deferred
  }
  // The setup last: what a wallet holds was defined before it was held.
  const loaded = await ask(tenant, {
    wallet: walletOf(tenant, work.of),
    earlier: frame.earlier?.(tenant),
    answers: together(work.questions(tenant)),
    setup: setupVersion(tenant),
  })
  if (loaded.earlier !== undefined) return done(loaded.earlier)
  const setup = await deps.setupCache.get(tenant, loaded.setup)
  const now = deps.clock()
  const { wallet, answers } = loaded
  let decided: Decided<Result>
  try {
    decided = await work.decide({ tenant, wallet, answers, setup, now })
  } catch (error) {
    // Something may have changed between two of the statements, and only a write would notice: a refusal is final
    // when it was decided under lock.
    if (error instanceof Refused && mode === 'read' && wallet) return deferred
    throw error
  }
  const { result, change, alongside = [] } = decided
  const finished = frame.finish(result, tenant, now)
  // What is only answered again is kept on the same condition: the customer may have been erased meanwhile.
  const untouched = wallet && finished.alongside.length > 0 ? [unchanged(wallet)] : []
  beginToCommit()
  const isWritten = await writeWallets(tenant, change ? [change] : untouched, {
    now,
    day: localDay(now, setup.organization.timezone),
    isLocked: mode !== 'read',
    alongside: [...alongside, ...finished.alongside],
  })
  return isWritten ? done(finished.value) : deferred
}

function unchanged({ customer, version: fromVersion }: LoadedWallet): WalletChange {
  return { customer, fromVersion, facts: [], cause: { kind: 'other' } }
}
