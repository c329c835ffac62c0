import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { may, useSession } from '../../api/session.ts'
import { till } from '../../paths.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Failure } from '../../ui/failure.tsx'
import { IconCashRegister } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import { Dashboard } from './dashboard.tsx'
import { FirstSteps } from './first-steps.tsx'

export function HomePage() {
  return may(useSession(), 'manage') ? <ManagerHome /> : <CashierHome />
}

/** The figures once there is a sale, and the first steps before that. */
function ManagerHome() {
  const { t } = useTranslation('home')
  const session = useSession()
  const one = { params: { query: { limit: 1 } } }
  const { data, error, refetch } = useQuery({
    queryKey: ['first-steps'],
    queryFn: async () => {
      const sales = await dataOf(api.GET('/v1/transactions', one))
      if (sales.data.length > 0) return { hasSale: true } as const
      const [campaigns, connections, customers] = await Promise.all([
        dataOf(api.GET('/v1/campaigns', one)),
        dataOf(api.GET('/v1/connections', { params: { query: { limit: 100 } } })),
        dataOf(api.GET('/v1/customers', one)),
      ])
      return {
        hasSale: false,
        hasCampaign: campaigns.data.length > 0,
        hasConnection: connections.data.some(({ lastUsedAt }) => lastUsedAt !== undefined),
        hasCustomer: customers.data.length > 0,
      } as const
    },
    // Once there is a sale, there will always be one.
    staleTime: ({ state }) => (state.data?.hasSale ? Number.POSITIVE_INFINITY : 0),
  })
  if (error) {
    return (
      <Page title={t('title')}>
        <Failure error={error} onRetry={refetch} />
      </Page>
    )
  }
  if (!data) return <Waiting />
  if (data.hasSale) return <Dashboard />
  return (
    <Page title={t('welcome', { name: session.organization.name })}>
      <FirstSteps {...data} />
    </Page>
  )
}

function CashierHome() {
  const { t } = useTranslation('home')
  const { person, organization } = useSession()
  return (
    <Page title={t('welcome', { name: person.name ?? organization.name })}>
      <div className="lw-surface">
        <EmptyState
          title={t('cashier.title')}
          icon={<IconCashRegister size={26} />}
          action={
            <Button component="a" href={till} size="md" mt="sm">
              {t('cashier.action')}
            </Button>
          }
        >
          {t('cashier.about')}
        </EmptyState>
      </div>
    </Page>
  )
}
