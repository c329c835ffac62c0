import { Stack, Text } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { idempotencyHeaders } from '../../api/idempotency-key.ts'
import { useSession } from '../../api/session.ts'
import { valuesIn } from '../../forms/definition.ts'
import { useDirectoryNames } from '../../forms/directory-names.ts'
import { useProgram } from '../../i18n/campaign-names.ts'
import { formatDate } from '../../i18n/format.ts'
import { rewardWords } from '../../i18n/reward-words.ts'
import { paths } from '../../paths.ts'
import { Action, ActionsMenu } from '../actions-menu.tsx'
import { CustomerName } from '../customer-name.tsx'
import { IconBan, IconCopy } from '../icons.ts'
import { Nowrap } from '../nowrap.tsx'
import { PageLink } from '../page-link.tsx'
import { StatusBadge } from '../status-badge.tsx'
import { toast } from '../toast.ts'
import { useAsk } from '../use-ask.tsx'
import type { Column } from './data-list.tsx'

export type Coupon = Schemas['Coupon']

const activeStatus = 1

/** Columns of a coupon list; one customer's list leaves out the customer. */
export function useCouponColumns({ hasCustomer }: { readonly hasCustomer: boolean }): Column<Coupon>[] {
  const { t } = useTranslation('coupons')
  const { timezone, currency } = useSession().organization
  const program = useProgram()
  const products = program.campaigns.flatMap(({ rewards }) => valuesIn(rewards, 'products'))
  const productName = useDirectoryNames('products', products)
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
            {rewardWords({ t, currency, productName }, reward)}
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
              {t('fromSale')}
            </PageLink>
          ) : (
            <Text size="xs" c="dimmed">
              {t('manual')}
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
      key: 'actions',
      label: t('actions'),
      align: 'end',
      isOnlyTable: true,
      cell: (coupon) => <CouponMenu coupon={coupon} />,
    },
    { key: 'id', label: t('coupon'), isOnlyCsv: true, cell: ({ id }) => id },
  ]
}

function CouponMenu({ coupon: { id = '', status, reward } }: { readonly coupon: Coupon }) {
  const { t } = useTranslation('coupons')
  const ask = useAsk()
  const { copy } = useClipboard()
  const revoke = () =>
    ask({
      title: t('revoke.title'),
      about: t('revoke.about', { reward: reward.name }),
      confirm: t('revoke.submit'),
      isDangerous: true,
      run: () =>
        dataOf(
          api.POST('/v1/coupons/{id}/revoke', {
            params: { path: { id }, header: idempotencyHeaders() },
            body: {},
          }),
        ),
      done: t('revoke.done'),
    })
  return (
    <ActionsMenu label={t('actionsFor', { reward: reward.name })}>
      <Action
        icon={IconCopy}
        onClick={() => {
          copy(id)
          toast.success(t('common:copied'))
        }}
      >
        {t('copyId')}
      </Action>
      {status === activeStatus && (
        <Action icon={IconBan} isDangerous onClick={revoke}>
          {t('revoke.submit')}
        </Action>
      )}
    </ActionsMenu>
  )
}
