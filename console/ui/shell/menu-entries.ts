import type { may } from '../../api/session.ts'
import { paths } from '../../paths.ts'
import {
  IconActivity,
  IconBuildingStore,
  IconChartLine,
  IconCoffee,
  IconHistory,
  IconId,
  IconListDetails,
  IconMail,
  IconPlugConnected,
  IconReceipt,
  IconSettings,
  IconSpeakerphone,
  IconTicket,
  IconTransferIn,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
} from '../icons.ts'

type Scope = Parameters<typeof may>[1]

interface Entry {
  readonly key: string
  readonly to: string
  readonly icon: typeof IconUsers
  readonly scope: Scope
}

/** Entries of the menu, which Ctrl-K can also jump to. */
export const menu: readonly { readonly section: string; readonly entries: readonly Entry[] }[] = [
  {
    section: 'business',
    entries: [
      { key: 'home', to: paths.home(), icon: IconChartLine, scope: 'pos' },
      { key: 'customers', to: paths.customers(), icon: IconUsers, scope: 'manage' },
      { key: 'campaigns', to: paths.campaigns(), icon: IconSpeakerphone, scope: 'manage' },
      { key: 'transactions', to: paths.transactions(), icon: IconReceipt, scope: 'manage' },
      { key: 'coupons', to: paths.coupons(), icon: IconTicket, scope: 'manage' },
      { key: 'messages', to: paths.messages(), icon: IconMail, scope: 'manage' },
    ],
  },
  {
    section: 'directory',
    entries: [
      { key: 'products', to: paths.products(), icon: IconCoffee, scope: 'manage' },
      { key: 'branches', to: paths.branches(), icon: IconBuildingStore, scope: 'manage' },
      { key: 'users', to: paths.users(), icon: IconId, scope: 'manage' },
    ],
  },
  {
    section: 'developers',
    entries: [
      { key: 'connections', to: paths.connections(), icon: IconPlugConnected, scope: 'manage' },
      { key: 'webhooks', to: paths.webhooks(), icon: IconWebhook, scope: 'manage' },
      { key: 'sources', to: paths.sources(), icon: IconTransferIn, scope: 'manage' },
      { key: 'events', to: paths.events(), icon: IconActivity, scope: 'manage' },
      { key: 'requests', to: paths.requests(), icon: IconListDetails, scope: 'manage' },
      { key: 'audit', to: paths.audit(), icon: IconHistory, scope: 'manage' },
    ],
  },
  {
    section: 'organization',
    entries: [
      { key: 'people', to: paths.people(), icon: IconUsersGroup, scope: 'people' },
      { key: 'settings', to: paths.settings(), icon: IconSettings, scope: 'pos' },
    ],
  },
]
