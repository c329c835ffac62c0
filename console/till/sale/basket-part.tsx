import { ActionIcon, Alert, Group, Stack, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { IconHistory, IconTrash } from '../../ui/icons.ts'
import { focusOn, places } from '../shell/till-context.ts'
import { Basket } from './basket.tsx'
import { Points, PointsOffline } from './points.tsx'
import { hasBuyer, type Sale } from './sale.ts'
import { Gains, SaleTotals } from './totals.tsx'
import type { Selling } from './use-sale.ts'

interface BasketPartProps {
  readonly selling: Selling
  readonly isReading: boolean
}

export function BasketPart({ selling, isReading }: BasketPartProps) {
  const { t } = useTranslation('till')
  const { sale, dispatch, preview, due, isReached, leavesOutClaims } = selling
  // Without the service, an earlier preview says nothing about this basket.
  const shown = isReached || preview.current ? preview.shown : undefined
  return (
    <section className="till-part lw-surface" data-part="basket" aria-labelledby="till-basket-title">
      <Group justify="space-between" mih={44} wrap="nowrap">
        <Title order={2} size="h4" id="till-basket-title">
          {t('basket.title')}
        </Title>
        {sale.lines.length > 0 && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size={44}
            aria-label={t('basket.clear')}
            onClick={() => {
              for (const { id } of sale.lines) dispatch({ type: 'quantity', id, quantity: 0 })
              focusOn(places.products)
            }}
          >
            <IconTrash size={20} />
          </ActionIcon>
        )}
      </Group>
      <div className="till-scrolls">
        <KeptNotice sale={sale} />
        <Basket sale={sale} shown={preview.shown} dispatch={dispatch} />
      </div>
      <Stack gap="sm" className="till-foot">
        {isReached ? (
          <Points
            sale={sale}
            shown={preview.shown}
            spendable={preview.spendable}
            isCurrent={!preview.isBusy}
            dispatch={dispatch}
          />
        ) : (
          <PointsOffline sale={sale} />
        )}
        <Gains shown={sale.lines.length > 0 ? shown : undefined} />
        <SaleTotals due={due} shown={shown} isCurrent={preview.current !== undefined} />
        {leavesOutClaims && (
          <Text size="sm" role="status">
            {t('offline.leftOut')}
          </Text>
        )}
        {!hasBuyer(sale, isReached) && !isReading && sale.lines.length > 0 && (
          <Text size="sm" c="dimmed">
            {t('basket.noCustomer')}
          </Text>
        )}
      </Stack>
    </section>
  )
}

/** What to know about a basket that did not begin on this screen. */
function KeptNotice({ sale: { paidAs, isKept } }: { readonly sale: Sale }) {
  const { t } = useTranslation('till')
  if (paidAs === undefined && !isKept) return null
  return (
    <Alert color="yellow" icon={<IconHistory />} mb="xs">
      {paidAs === undefined ? t('basket.kept') : t('offline.paid', { number: paidAs })}
    </Alert>
  )
}
