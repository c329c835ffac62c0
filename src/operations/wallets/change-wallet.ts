/**
 * The frame of every change of one wallet except baskets, which come in groups: load → decide → write, in two
 * round trips. The response for the idempotency key and the audit entry are written in the message that
 * writes the change, so that everything is committed or nothing. A refusal leaves nothing behind, not even
 * the key.
 */
import { Refused } from '../../domain/refusal.ts'
import { localDay } from '../../engine/clock/local-time.ts'
import { auditEntryStep } from '../../store/audit-entries.ts'
import type { Arming, KnownDue } from '../../store/due-work.ts'
import { insertReply, replyArming, storedReply } from '../../store/idempotency.ts'
import {
  type Answers,
  ask,
  type Question,
  type Questions,
  type Step,
  together,
} from '../../store/question.ts'
import { setupState } from '../../store/setup.ts'
import { type Tenant, tenantOf } from '../../store/tenant.ts'
import type { WalletChange } from '../../store/wallets/change.ts'
import { type LoadedWallet, lockWallet, type Owned, walletOf } from '../../store/wallets/load.ts'
import { writeWallets } from '../../store/wallets/write.ts'
import { checkRemembered } from '../auth/check-remembered.ts'
import type { Caller, Deps } from '../deps.ts'
import type { Setup } from '../organizations/setup-cache.ts'
import { timeOf } from '../organizations/time-of.ts'
import { type Reply, replayOf, toAuditEntry, type WriteCall, type WriteResult } from '../transact.ts'
import { type Attempt, type AttemptResult, deferred, done, runAttempts } from './attempts.ts'
import { idleArmings } from './idle-armings.ts'

export interface WalletWork<Q extends Questions, Result> {
  /** The wallet to change: a customer's, or that of the customer to whom a sale or a coupon belongs. */
  readonly of: Owned
  /** What the decision needs besides the wallet, read in the same round trip. */
  questions(tenant: Tenant): Q
  /** Decides what to write, and the result. A refusal is thrown. */
  decide(known: Known<Q>): Promise<Decided<Result>> | Decided<Result>
  /** Whether `decide` would find what an earlier attempt has written. */
  readonly isFindable?: boolean
}

/** For a decision that needs only the wallet. */
export type NoQuestions = Record<never, never>

export interface Known<Q extends Questions> {
  readonly tenant: Tenant
  /** Undefined if the customer does not exist or has been erased. */
  readonly wallet: LoadedWallet | undefined
  readonly answers: Answers<Q>
  readonly setup: Setup
  /** When the organization's background work is due. */
  readonly due: KnownDue
  readonly now: Date
}

export interface Decided<Result> {
  readonly result: Result
  /** Undefined if an earlier request has made the change and there is nothing left to do. */
  readonly change?: WalletChange
  /** Further statements written with the change. */
  readonly alongside?: readonly Step[]
}

export async function changeWallet<Q extends Questions, Result>(
  deps: Deps,
  org: number,
  work: WalletWork<Q, Result>,
): Promise<Result> {
  return run(deps, org, work, { finish: (result) => ({ value: result, alongside: [], armings: [] }) })
}

/** The result that a change would have now. */
export async function previewChange<Q extends Questions, Result>(
  deps: Deps,
  caller: Caller,
  work: WalletWork<Q, Result>,
): Promise<Result> {
  const tenant = tenantOf(deps.pool, caller.organization.orgId)
  const { known } = await load(deps, tenant, work, undefined)
  checkRemembered(known.setup, caller, deps.clock())
  return (await work.decide(known)).result
}

/** Runs the change for a request and returns its response: a new one, or the stored one for a retry. */
export async function transactChange<Q extends Questions, Result>(
  deps: Deps,
  org: number,
  work: WalletWork<Q, Result>,
  reply: Reply<Result>,
): Promise<WriteResult> {
  const { call } = reply
  return run(deps, org, work, {
    caller: reply.caller,
    earlier: call && ((tenant) => replayedAnswer(tenant, call)),
    finish(result, tenant) {
      const now = deps.clock()
      const answered = reply.answer(result)
      const note = reply.audit(result, answered.body)
      const { status, customer } = answered
      const kept = call && {
        route: call.route,
        key: call.key,
        fingerprint: call.fingerprint.value,
        status,
        customer,
        now,
        reply: JSON.stringify(answered.body),
      }
      return {
        value: { ...answered, isReplay: false },
        alongside: [
          ...(note ? [auditEntryStep(tenant, toAuditEntry(note, now))] : []),
          ...(kept ? [insertReply(tenant, kept)] : []),
        ],
        armings: kept ? [replyArming(now, deps.retention.repliesMs)] : [],
      }
    },
  })
}

function replayedAnswer(
  tenant: Tenant,
  { route, key, fingerprint }: WriteCall,
): Question<WriteResult | undefined> {
  const { steps, read } = storedReply(tenant, route, key)
  return {
    steps,
    read(rows) {
      const stored = read(rows)
      return stored && replayOf(stored, fingerprint)
    },
  }
}

interface Frame<Result, T> {
  readonly caller?: Caller
  /** The stored response, if this is a retry. */
  readonly earlier?: (tenant: Tenant) => Question<T | undefined>
  /** The new response, and what is written with the change. */
  finish(
    result: Result,
    tenant: Tenant,
  ): { readonly value: T; readonly alongside: readonly Step[]; readonly armings: readonly Arming[] }
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
  const { earlier, known } = await load(deps, tenant, work, frame.earlier?.(tenant))
  // Once: a later attempt may find what the first has committed.
  if (mode === 'read') checkRemembered(known.setup, frame.caller, deps.clock())
  if (earlier !== undefined) return done(earlier)
  const { wallet, setup, due, now } = known
  let decided: Decided<Result>
  try {
    decided = await work.decide(known)
  } catch (error) {
    // Something may have changed between two of the statements, and only a write would detect that: a refusal
    // is final only if it was decided under lock.
    if (error instanceof Refused && mode === 'read' && wallet) return deferred
    throw error
  }
  const { result, change, alongside = [] } = decided
  const finished = frame.finish(result, tenant)
  // A response without a change is stored on the same condition: the customer may have been erased meanwhile.
  const untouched = wallet && finished.alongside.length > 0 ? [unchanged(wallet)] : []
  beginToCommit()
  const isWritten = await writeWallets(tenant, change ? [change] : untouched, {
    now,
    day: localDay(now, setup.organization.timezone),
    isLocked: mode !== 'read',
    alongside: [...alongside, ...finished.alongside],
    due,
    armings: [...finished.armings, ...idleArmings(setup, activeSince(known, change))],
  })
  return isWritten ? done(finished.value) : deferred
}

async function load<Q extends Questions, Result, T>(
  deps: Deps,
  tenant: Tenant,
  work: WalletWork<Q, Result>,
  earlier: Question<T | undefined> | undefined,
): Promise<{ readonly earlier: T | undefined; readonly known: Known<Q> }> {
  const { dueKinds = [] } = deps.setupCache.peek(tenant.orgId) ?? {}
  // The setup is read last: whatever a wallet contains was defined before.
  const loaded = await ask(tenant, {
    wallet: walletOf(tenant, work.of),
    earlier,
    answers: together(work.questions(tenant)),
    setup: setupState(tenant, earlier ? [...dueKinds, 'replies'] : dueKinds),
  })
  const setup = await deps.setupCache.get(tenant, loaded.setup.version)
  const { wallet, answers } = loaded
  const { due } = loaded.setup
  return {
    earlier: loaded.earlier,
    known: { tenant, wallet, answers, setup, due, now: timeOf(deps, setup.organization) },
  }
}

/** What a return gives back counts from the last visit, and what staff gives from now. */
function activeSince({ wallet, now }: Known<Questions>, change: WalletChange | undefined): Date {
  return change?.cause.kind === 'return' ? (wallet?.held.lastActivityAt ?? now) : now
}

function unchanged({ customer, version: fromVersion }: LoadedWallet): WalletChange {
  return { customer, fromVersion, facts: [], cause: { kind: 'other' } }
}
