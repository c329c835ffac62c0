/** The keys that an organization's passes are signed with: its own, or else those of the installation. */

import { createHash } from 'node:crypto'
import QuickLRU from 'quick-lru'
import { Refused } from '../../domain/refusal.ts'
import { toPassProblem, type WalletKind, walletKinds } from '../../domain/wallet-pass.ts'
import { updateFeedDue } from '../../store/pass-feeds.ts'
import { findPassSettings, type StoredPassSettings, upsertPassSettings } from '../../store/pass-settings.ts'
import type { Tenant } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'
import type { Seal } from '../seal.ts'
import {
  type AppleKeys,
  type AppleKeysInput,
  type Checked,
  checkAppleKeys,
  checkGoogleKeys,
  type GoogleKeys,
  type GoogleKeysInput,
} from './check-keys.ts'

export interface KeysOf<T> extends Checked<T> {
  /** Whose keys they are; undefined if there are none. */
  readonly source?: 'organization' | 'installation'
}

export interface PassKeys {
  readonly apple: KeysOf<AppleKeys>
  readonly google: KeysOf<GoogleKeys>
  readonly firstCode: StoredPassSettings['firstCode']
}

const none = { problems: [], shown: {} }

/** Binds sealed keys to their organization. */
const placeOf = (wallet: WalletKind, org: number) => `keys of ${wallet} passes ${org}`

export async function readPassKeys(
  { passes, clock, seal }: Pick<Deps, 'passes' | 'clock' | 'seal'>,
  tenant: Tenant,
): Promise<PassKeys> {
  const stored = await findPassSettings(tenant)
  const now = clock()
  const apple = openKeys<AppleKeysInput>(seal, stored.apple, placeOf('apple', tenant.orgId))
  const google = openKeys<GoogleKeysInput>(seal, stored.google, placeOf('google', tenant.orgId))
  return {
    apple: choose(apple, passes.apple, (input) =>
      checkOnce(input, now, (given) => checkAppleKeys(given, now)),
    ),
    google: choose(google, passes.google, (input) => checkOnce(input, now, checkGoogleKeys)),
    firstCode: stored.firstCode,
  }
}

/** Every look at a wallet page asks, and reading keys takes milliseconds; up to twice as many are kept. */
const checked = new QuickLRU<string, Checked<unknown>>({ maxSize: 250 })
const minuteMs = 60_000

/** Checks keys once a minute: what is wrong with them depends on the time. */
function checkOnce<I extends object, T>(input: I, now: Date, check: (input: I) => Checked<T>): Checked<T> {
  const minute = Math.floor(now.getTime() / minuteMs)
  const name = createHash('sha256')
    .update(`${minute} ${JSON.stringify(input)}`)
    .digest('base64')
  const known = checked.get(name) as Checked<T> | undefined
  if (known) return known
  const found = check(input)
  checked.set(name, found)
  return found
}

/** Keys that cannot be opened are not replaced with those of the installation: passes would change their type. */
function openKeys<T>(seal: Seal, sealed: Buffer | undefined, place: string): T | 'sealed' | undefined {
  if (!sealed) return undefined
  const opened = seal.open(sealed, place)
  return opened ? (JSON.parse(opened.toString()) as T) : 'sealed'
}

function choose<I, T>(
  own: I | 'sealed' | undefined,
  shared: I | undefined,
  check: (input: I) => Checked<T>,
): KeysOf<T> {
  if (own === 'sealed')
    return { source: 'organization', problems: [toPassProblem('sealed_elsewhere')], shown: {} }
  if (own !== undefined) return { source: 'organization', ...check(own) }
  return shared === undefined ? none : { source: 'installation', ...check(shared) }
}

/** Says in the log what is wrong with the keys of the installation: nobody else sees it before it matters. */
export function reportInstallationKeys({ passes: { apple, google }, clock, log }: Deps): void {
  const problems = {
    apple: apple ? checkAppleKeys(apple, clock()).problems : [],
    google: google ? checkGoogleKeys(google).problems : [],
  }
  for (const wallet of walletKinds) {
    for (const { code, message } of problems[wallet]) log.warn({ wallet, problem: code }, message)
  }
}

/** The wallets that a customer can put a card into. */
export async function listOfferedWallets(deps: Deps, tenant: Tenant): Promise<WalletKind[]> {
  const keys = await readPassKeys(deps, tenant)
  return walletKinds.filter((wallet) => keys[wallet].keys !== undefined)
}

/** `null` removes the organization's own keys. */
export interface PassSettingsPatch {
  readonly apple?: AppleKeysInput | null
  readonly google?: GoogleKeysInput | null
  readonly firstCode?: StoredPassSettings['firstCode']
}

/** Refuses keys that a pass cannot be signed with, with everything that is wrong with them. */
export async function patchPassSettings(
  deps: Deps,
  tenant: Tenant,
  { apple, google, firstCode }: PassSettingsPatch,
): Promise<PassKeys> {
  const now = deps.clock()
  if (apple) refuseProblems('apple', checkAppleKeys(apple, now))
  if (google) refuseProblems('google', checkGoogleKeys(google))
  const sealed = (wallet: WalletKind, input: object | null | undefined) =>
    input && deps.seal.seal(Buffer.from(JSON.stringify(input)), placeOf(wallet, tenant.orgId))
  const change = { apple: sealed('apple', apple), google: sealed('google', google), firstCode }
  await upsertPassSettings(tenant, change, now)
  await updateFeedDue(tenant, now)
  return readPassKeys(deps, tenant)
}

function refuseProblems(wallet: WalletKind, { problems }: Checked<unknown>): void {
  const errors = problems.filter(({ isWarning }) => !isWarning)
  if (errors.length === 0) return
  const refused = new Refused(
    '_invalid_payload',
    `${wallet}: ${errors.map(({ message }) => message).join(' ')}`,
  )
  refused.problems = errors.map(({ code }) => code)
  throw refused
}
