import { ActionIcon, Alert, Button, Group, Progress, Radio, Stack, Text, Title } from '@mantine/core'
import type { Dispatch } from 'react'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../../api/client.ts'
import { formatNumber } from '../../i18n/format.ts'
import { IconBan, IconQrcode, IconX } from '../../ui/icons.ts'
import { Status } from '../../ui/status.tsx'
import { TierBadges } from '../../ui/tier-badges.tsx'
import { CouponList } from '../sale/coupon-list.tsx'
import { type Card, type Customer, cardStatus, isActive, type Sale, type SaleEvent } from '../sale/sale.ts'
import { lazyPanel } from '../shell/lazy-panel.tsx'
import { places, useNames } from '../shell/till-context.ts'

const OpenCard = lazyPanel(() => import('./open-card.tsx'))

interface CustomerPanelProps {
  readonly sale: Sale
  readonly customer: Customer
  readonly isReached: boolean
  readonly progress: Schemas['TransactionPreview']['executedActions']['progress']
  readonly dispatch: Dispatch<SaleEvent>
  readonly onLeave: () => void
  readonly onCustomer: (customer: Customer) => void
  readonly onShowCard: (card: Card) => void
}

/** The customer at the till: balances, cards, coupons, and progress toward the next reward. */
export function CustomerPanel(props: CustomerPanelProps) {
  const { sale, customer, progress, dispatch, onLeave } = props
  const { t } = useTranslation('till')
  const names = useNames()
  const isBlocked = !isActive(customer)
  const canSell = !isBlocked && sale.card !== undefined && isActive(sale.card)
  return (
    <Stack gap="md">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Identity customer={customer} />
        <ActionIcon
          variant="subtle"
          color="gray"
          size={44}
          aria-label={t('customer.leave')}
          onClick={onLeave}
        >
          <IconX size={20} />
        </ActionIcon>
      </Group>
      {isBlocked && (
        <Alert color="red" role="alert" icon={<IconBan />} title={t('customer.blocked')}>
          {t('customer.blockedAbout')}
        </Alert>
      )}
      <Balances customer={customer} />
      {!isBlocked && <Cards {...props} />}
      {canSell && props.isReached && (
        <Button
          id={places.showCard}
          variant="default"
          leftSection={<IconQrcode size={18} />}
          onClick={() => props.onShowCard(sale.card!)}
        >
          {t('wallet.show')}
        </Button>
      )}
      {canSell && (
        <CouponList sale={sale} coupons={customer.coupons} isReached={props.isReached} dispatch={dispatch} />
      )}
      {canSell && progress.length > 0 && (
        <Stack gap="xs">
          <Title order={4} size="h5">
            {t('customer.progress')}
          </Title>
          {progress.map(({ key, have, need, reward }) => {
            const text = names.progress(key, { have, need, reward: names.reward(reward) })
            return (
              <div key={`${key} ${reward}`}>
                <Text size="sm">{text}</Text>
                <Progress value={need > 0 ? (have / need) * 100 : 0} aria-label={text} mt={4} />
              </div>
            )
          })}
        </Stack>
      )}
    </Stack>
  )
}

function Balances({ customer }: Pick<CustomerPanelProps, 'customer'>) {
  const names = useNames()
  return (
    <Group gap="xl" component="dl" m={0}>
      {Object.entries(customer.collectables).map(([key, { value }]) => (
        <div key={key}>
          <Text component="dt" size="sm" c="dimmed">
            {names.balance(key)}
          </Text>
          <Text component="dd" m={0} fz={26} fw={650} lh={1.2} className="lw-tabular">
            {formatNumber(value, names.decimals(key))}
          </Text>
        </div>
      ))}
    </Group>
  )
}

function Identity({ customer: { data, tiers } }: Pick<CustomerPanelProps, 'customer'>) {
  const { t } = useTranslation('till')
  const { phone, email, fullname } = data
  return (
    <div className="till-wraps">
      <Title order={3} size="h3">
        {fullname ?? phone ?? email ?? t('customer.noName')}
      </Title>
      {fullname && (phone || email) && (
        <Text c="dimmed" size="sm">
          <bdi>{phone ?? email}</bdi>
        </Text>
      )}
      <TierBadges tiers={tiers} />
    </div>
  )
}

/** The cards that are not replaced or closed; if there are several, the cashier selects one. */
function Cards({ sale, customer, dispatch, onCustomer }: CustomerPanelProps) {
  const { t } = useTranslation('till')
  const usable = customer.cards.filter(({ status }) => status <= cardStatus.blocked)
  if (usable.length === 0) return <OpenCard customer={customer} onCustomer={onCustomer} />
  const isCardBlocked = sale.card !== undefined && !isActive(sale.card)
  return (
    <Stack gap="xs">
      {usable.length > 1 && (
        <Radio.Group
          label={t('customer.cards')}
          value={sale.card?.id ?? null}
          onChange={(id) => {
            const card = usable.find((coupon) => coupon.id === id)
            if (card) dispatch({ type: 'card', card })
          }}
        >
          <Stack gap={0} mt={4}>
            {usable.map((card) => (
              <Radio
                key={card.id}
                value={card.id}
                className="till-radio"
                label={
                  <Group gap="xs">
                    {t('customer.card', { name: card.campaignName, ending: card.barcode.slice(-4) })}
                    {!isActive(card) && (
                      <Status tone="wrong">{t(`common:status.card.${card.status}`)}</Status>
                    )}
                  </Group>
                }
              />
            ))}
          </Stack>
        </Radio.Group>
      )}
      {usable.length === 1 && (
        <Text size="sm" c="dimmed">
          {t('customer.card', { name: usable[0]!.campaignName, ending: usable[0]!.barcode.slice(-4) })}
        </Text>
      )}
      {isCardBlocked && (
        <Alert color="red" role="alert" icon={<IconBan />} title={t('customer.cardBlocked')}>
          {t('customer.cardBlockedAbout')}
        </Alert>
      )}
    </Stack>
  )
}
