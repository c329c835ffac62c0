/** What the operator has set for passes: keys for organizations without their own, and where the services are. */
import type { AppleKeysInput, GoogleKeysInput } from './check-keys.ts'

export interface PassHosts {
  /** Apple's push service. */
  readonly applePush: string
  /** Google's API for passes, and where its tokens are to be had. */
  readonly googleApi: string
  readonly googleToken: string
}

export const publicHosts: PassHosts = {
  applePush: 'https://api.push.apple.com',
  googleApi: 'https://walletobjects.googleapis.com',
  googleToken: 'https://oauth2.googleapis.com/token',
}

export interface PassInstallation {
  readonly apple?: AppleKeysInput
  readonly google?: GoogleKeysInput
  readonly hosts: PassHosts
}
