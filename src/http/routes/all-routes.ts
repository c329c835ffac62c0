import type { Server, ServerOptions } from '../server.ts'
import { adminRoutes } from './admin.ts'
import { authRoutes } from './auth.ts'
import { campaignRoutes } from './campaigns.ts'
import { cardRoutes } from './cards.ts'
import { couponRoutes } from './coupons.ts'
import { customerHistoryRoutes } from './customer-history.ts'
import { customerRoutes } from './customers.ts'
import { directoryRoutes } from './directory.ts'
import { healthRoutes } from './health.ts'
import { organizationRoutes } from './organization.ts'
import { pageRoutes } from './pages.ts'
import { referenceRoutes } from './reference.ts'
import { reportRoutes } from './reports.ts'
import { tillRoutes } from './till.ts'
import { transactionRoutes } from './transactions.ts'

/** In the order of the API reference. */
export const allRoutes: readonly ((app: Server, options: ServerOptions) => void)[] = [
  authRoutes,
  customerRoutes,
  customerHistoryRoutes,
  cardRoutes,
  transactionRoutes,
  couponRoutes,
  campaignRoutes,
  directoryRoutes,
  tillRoutes,
  reportRoutes,
  organizationRoutes,
  adminRoutes,
  healthRoutes,
  referenceRoutes,
  pageRoutes,
]
