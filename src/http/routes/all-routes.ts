import type { Server } from '../fastify-server.ts'
import type { ServerOptions } from '../server-options.ts'
import { adminRoutes } from './admin.ts'
import { applePassRoutes } from './apple-passes.ts'
import { authRoutes } from './auth.ts'
import { backtestRoutes } from './backtest.ts'
import { campaignFormRoutes } from './campaign-forms.ts'
import { campaignVersionRoutes } from './campaign-versions.ts'
import { campaignRoutes } from './campaigns.ts'
import { cardRoutes } from './cards.ts'
import { connectionRoutes } from './connections.ts'
import { couponRoutes } from './coupons.ts'
import { customerHistoryRoutes } from './customer-history.ts'
import { customerManagementRoutes } from './customer-management.ts'
import { customerRoutes } from './customers.ts'
import { directoryRoutes } from './directory.ts'
import { enrollmentRoutes } from './enrollment.ts'
import { enrollmentPageRoutes } from './enrollment-page.ts'
import { eventRoutes } from './events.ts'
import { healthRoutes } from './health.ts'
import { importRoutes } from './imports.ts'
import { inboundRoutes } from './inbound.ts'
import { logRoutes } from './logs.ts'
import { messageKindRoutes } from './message-kinds.ts'
import { messageRoutes } from './messages.ts'
import { organizationRoutes } from './organization.ts'
import { pageRoutes } from './pages.ts'
import { passPictureRoutes } from './pass-pictures.ts'
import { passSettingsRoutes } from './pass-settings.ts'
import { peopleRoutes } from './people.ts'
import { receivedRoutes } from './received.ts'
import { referenceRoutes } from './reference.ts'
import { reportRoutes } from './reports.ts'
import { returnRoutes } from './returns.ts'
import { senderRoutes } from './senders.ts'
import { sessionRoutes } from './sessions.ts'
import { sourceRoutes } from './sources.ts'
import { testModeRoutes } from './test-mode.ts'
import { tillRoutes } from './till.ts'
import { transactionRoutes } from './transactions.ts'
import { walletRoutes } from './wallet.ts'
import { walletLinkRoutes } from './wallet-link.ts'
import { walletPassRoutes } from './wallet-passes.ts'
import { walletProfileRoutes } from './wallet-profile.ts'
import { walletVisitRoutes } from './wallet-visits.ts'
import { webhookRoutes } from './webhooks.ts'

/** In the order of the API reference, whose sections are those of the tags (`open-api.ts`). */
export const allRoutes: readonly ((app: Server, options: ServerOptions) => void)[] = [
  authRoutes,
  sessionRoutes,
  customerRoutes,
  customerManagementRoutes,
  customerHistoryRoutes,
  cardRoutes,
  transactionRoutes,
  returnRoutes,
  couponRoutes,
  campaignRoutes,
  campaignVersionRoutes,
  campaignFormRoutes,
  backtestRoutes,
  enrollmentRoutes,
  directoryRoutes,
  importRoutes,
  tillRoutes,
  reportRoutes,
  eventRoutes,
  webhookRoutes,
  sourceRoutes,
  receivedRoutes,
  inboundRoutes,
  senderRoutes,
  messageKindRoutes,
  messageRoutes,
  organizationRoutes,
  testModeRoutes,
  passSettingsRoutes,
  adminRoutes,
  peopleRoutes,
  connectionRoutes,
  logRoutes,
  walletRoutes,
  walletVisitRoutes,
  walletLinkRoutes,
  walletProfileRoutes,
  walletPassRoutes,
  applePassRoutes,
  passPictureRoutes,
  enrollmentPageRoutes,
  healthRoutes,
  referenceRoutes,
  pageRoutes,
]
