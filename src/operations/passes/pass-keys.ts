/** The keys that an organization's passes are signed with: its own, or else those of the installation. */
import type { Tenant } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'
import {
  type AppleKeys,
  type Checked,
  checkAppleKeys,
  checkGoogleKeys,
  type GoogleKeys,
} from './check-keys.ts'

export interface KeysOf<T> extends Checked<T> {
  /** Whose keys they are; undefined if there are none. */
  readonly source?: 'organization' | 'installation'
}

export interface PassKeys {
  readonly apple: KeysOf<AppleKeys>
  readonly google: KeysOf<GoogleKeys>
}

const none = { problems: [], shown: {} }

export async function readPassKeys({ passes, clock }: Deps, _tenant: Tenant): Promise<PassKeys> {
  const { apple, google } = passes
  return {
    apple: apple ? { source: 'installation', ...checkAppleKeys(apple, clock()) } : none,
    google: google ? { source: 'installation', ...checkGoogleKeys(google) } : none,
  }
}
