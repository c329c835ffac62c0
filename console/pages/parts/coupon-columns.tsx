import { Button, Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { answerOf, api, type Schemas } from '../../api/client.ts'
import { repeatHeaders } from '../../api/repeat-key.ts'
import { useSession } from '../../api/session.ts'
import { formatDate } from '../../format.ts'
import { paths } from '../../paths.ts'
import { Copy } from '../../ui/copy.tsx'
import type { Column } from '../../ui/data-list.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { CustomerName } from './customer-name.tsx'
import { Nowrap } from './nowrap.tsx'
import { useProgram } from './program.ts'
import { rewardWords } from './reward-words.ts'
import { StatusBadge } from './status-badge.tsx'
import { useAsk } from './use-ask.tsx'

export type Coupon = Schemas['Coupon']

const activeStatus = 1

/** The same of all coupons and of one customer's; there the column of the customer is left out. */
export function useCouponColumns({ hasCustomer }: { readonly hasCustomer: boolean }): Column<Coupon>[] {
  const { t } = useTranslation('coupons')
  const { timezone, currency } = useSession().organization
  const program = useProgram()
  const date = (at: string | undefined) => (at === undefined ? '' : formatDate(at, timezone))
  const customer: Column<Coupon> = {
    key: 'customer',
    label: t('customer'),
    cell: ({ customer, customerName }) => customer && <CustomerName id={customer} name={customerName} />,
    csv: ({ customerName }) => customerName,
  }
  return [
    {
      key: 'reward',
      label: t('reward.label'),
      cell: ({ reward }) => (
        <div>
          <Text size="sm" fw={550}>
            <bdi>{reward.name}</bdi>
          </Text>
          <Text size="xs" c="dimmed">
            {rewardWords(t, reward, currency)}
          </Text>
        </div>
      ),
      csv: ({ reward }) => reward.name,
    },
    ...(hasCustomer ? [customer] : []),
    {
      key: 'status',
      label: t('status'),
      cell: ({ status, redeemedBy, endedAt }) => (
        <Stack gap={2} align="flex-start">
          <StatusBadge of="coupon" status={status} />
          {redeemedBy ? (
            <PageLink to={paths.transaction(redeemedBy)} size="xs">
              <Nowrap>{t('redeemedBy', { date: date(endedAt) })}</Nowrap>
            </PageLink>
          ) : (
            endedAt && (
              <Text size="xs" c="dimmed">
                {date(endedAt)}
              </Text>
            )
          )}
        </Stack>
      ),
      csv: ({ status }) => t(`common:status.coupon.${status}`),
    },
    {
      key: 'campaign',
      label: t('campaign'),
      isOnlyCsv: !hasCustomer,
      cell: ({ campaign }) => program.campaignName(campaign),
    },
    {
      key: 'granted',
      label: t('granted'),
      cell: ({ createdAt, grantedBy }) => (
        <div>
          <Nowrap>{date(createdAt)}</Nowrap>
          {grantedBy ? (
            <PageLink to={paths.transaction(grantedBy)} size="xs" display="block">
              {t('bySale')}
            </PageLink>
          ) : (
            <Text size="xs" c="dimmed">
              {t('byHand')}
            </Text>
          )}
        </div>
      ),
      csv: ({ createdAt }) => createdAt,
    },
    {
      key: 'expiresAt',
      label: t('expires'),
      cell: ({ expiresAt }) => expiresAt && <Nowrap>{date(expiresAt)}</Nowrap>,
      csv: ({ expiresAt }) => expiresAt,
    },
    { key: 'endedAt', label: t('endedAt'), isOnlyCsv: true, cell: ({ endedAt }) => endedAt },
    { key: 'customerId', label: t('customerId'), isOnlyCsv: true, cell: ({ customer }) => customer },
    { key: 'grantedBy', label: t('grantedBySale'), isOnlyCsv: true, cell: ({ grantedBy }) => grantedBy },
    { key: 'redeemedBy', label: t('redeemedBySale'), isOnlyCsv: true, cell: ({ redeemedBy }) => redeemedBy },
    {
      key: 'id',
      label: t('coupon'),
      align: 'end',
      cell: (coupon) => (
        <Group gap={6} justify="flex-end" wrap="nowrap">
          {coupon.status === activeStatus && <RevokeButton coupon={coupon} />}
          <Copy value={coupon.id ?? ''} label={t('copyId')} />
        </Group>
      ),
      csv: ({ id }) => id,
    },
  ]
}

function RevokeButton({ coupon: { id = '', reward } }: { readonly coupon: Coupon }) {
  const { t } = useTranslation('coupons')
  const ask = useAsk()
  const revoke = () =>
    ask({
      title: t('revoke.title'),
      about: t('revoke.about', { reward: reward.name }),
      confirm: t('revoke.submit'),
      isDangerous: true,
      run: () =>
        answerOf(
          api.POST('/v1/coupons/{id}/revoke', {
            params: { path: { id }, header: repeatHeaders() },
            body: {},
          }),
        ),
      done: t('revoke.done'),
    })
  return (
    <Button variant="default" size="compact-xs" onClick={revoke}>
      {t('revoke.submit')}
    </Button>
  )
}
