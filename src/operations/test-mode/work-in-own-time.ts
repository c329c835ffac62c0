/** The background work that goes by the organization's clock. */
import type { WorkDone } from '../../store/due-work.ts'
import type { KindInOwnTime } from '../../store/test-clock.ts'
import type { Deps } from '../deps.ts'
import { makeReminders } from '../messages/make-reminders.ts'
import { sendMessages } from '../messages/send-messages.ts'
import type { Turn } from '../turn.ts'
import { expireInactive, expireWallets } from '../wallets/expire-wallets.ts'

type DoWork = (deps: Deps, org: number, turn: Turn) => Promise<WorkDone & { readonly customers?: number }>

export const workInOwnTime: Record<KindInOwnTime, DoWork> = {
  expiry: expireWallets,
  inactivity: expireInactive,
  reminders: makeReminders,
  sending: sendMessages,
}
