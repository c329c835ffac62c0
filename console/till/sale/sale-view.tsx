import { ActionIcon, Alert, Button, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { IconHistory, IconTrash } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../i18n/format.ts'
import { Failure } from '../../ui/failure.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import { CustomerPanel } from '../customer/customer-panel.tsx'
import { FindCustomer } from '../customer/find-customer.tsx'
import { useFinding } from '../customer/use-finding.ts'
import { lazyPanel } from '../shell/lazy-panel.tsx'
import { useShortcuts } from '../shell/shortcuts.ts'
import { focusNow, focusOn, places } from '../shell/till-context.ts'
import { Basket } from './basket.tsx'
import { Points } from './points.tsx'
import { PriceForm } from './price-form.tsx'
import { PriceWarnings } from './price-warnings.tsx'
import { ProductPicker, useProducts } from './product-picker.tsx'
import { type Card, type Customer, chooseCard, isActive, type Line, type Product } from './sale.ts'
import { ChargeButton, Gains, SaleTotals, useToPay } from './totals.tsx'
import type { Selling } from './use-sale.ts'

const ShowCard = lazyPanel(() => import('../card/show-card.tsx'))

interface SaleViewProps {
  readonly selling: Selling
  readonly isSending: boolean
  readonly refused: unknown
  readonly onCharge: () => void
  /** The code that was scanned; delivered once. */
  readonly scanned: string | undefined
  readonly onScanned: () => void
}

/** The parts of the view; a small screen shows one at a time. */
const parts = ['customer', 'products', 'basket'] as const
type Part = (typeof parts)[number]

export function SaleView(props: SaleViewProps) {
  const { selling, isSending, refused, onCharge, scanned, onScanned } = props
  const { t } = useTranslation('till')
  const { sale, dispatch, preview, again, isReady, announce } = selling
  const [part, setPart] = useState<Part>(sale.isKept ? 'basket' : 'customer')
  const [asked, setAsked] = useState<{ product?: Product }>()
  const [shownCard, setShownCard] = useState<{ card: Card; next: string }>()
  const { all: products } = useProducts('')
  const toPay = useToPay(sale, preview.current)
  // A restored basket is still waiting for its customer.
  const isReading = sale.awaited !== undefined && !again.error
  const notRead = sale.awaited && again.error

  const goTo = (to: Part, place: string) => {
    // The focus moves synchronously, since keys typed after the shortcut belong there.
    flushSync(() => setPart(to))
    focusNow(place)
  }
  const finding = useFinding((customer, card) => {
    dispatch({ type: 'customer', customer, card })
    const { fullname, phone, email } = customer.data
    announce(t('customer.found', { name: fullname ?? phone ?? email ?? t('customer.noName') }))
    // A blocked customer, or one without a card, needs attention first.
    if (isActive(customer) && card && isActive(card)) goTo('products', places.products)
    else goTo('customer', places.main)
  })
  const add = (line: Pick<Line, 'product' | 'name' | 'category' | 'unitPrice'>) => {
    dispatch({ type: 'add', line })
    announce(t('basket.added', { name: line.name }))
  }
  const pick = (product: Product) => {
    const { opaqueId, name = opaqueId, category, price } = product
    if (price === undefined) return setAsked({ product })
    add({ product: opaqueId, name, category, unitPrice: price })
  }
  /** A new card is shown right away, while its customer is there to scan it. */
  const takeNew = (customer: Customer) => {
    finding.take(customer)
    const card = chooseCard(customer, customer.matchedCard)
    if (isActive(customer) && card && isActive(card)) setShownCard({ card, next: places.products })
  }
  const charge = () => {
    if (!isReady) return
    onCharge()
    selling.charge()
  }
  const leave = () => {
    dispatch({ type: 'no customer' })
    finding.reset()
    goTo('customer', places.customer)
  }

  useEffect(() => {
    if (!sale.isKept) return
    announce(t('basket.kept'))
    goTo('basket', places.basket)
  }, [sale.isKept])
  useEffect(() => {
    if (scanned === undefined) return
    onScanned()
    const product = products.find(({ opaqueId }) => opaqueId === scanned)
    if (product) pick(product)
    else finding.find(scanned)
  }, [scanned])
  useShortcuts({
    F2: () => (sale.customer || sale.awaited ? leave() : goTo('customer', places.customer)),
    F3: () => goTo('products', places.products),
    F4: () => setAsked({}),
    F6: () => goTo('basket', places.basket),
    F7: () => goTo('basket', places.points),
    F9: charge,
  })

  return (
    <main className="till-sale" id={places.main} tabIndex={-1} data-part={part}>
      <h1 className="till-hidden">{t('title')}</h1>
      <section className="till-part" data-part="customer" aria-labelledby="till-customer-title">
        <Title order={2} size="h4" id="till-customer-title" mb="sm">
          {t('customer.title')}
        </Title>
        <div className="till-scrolls">
          {sale.customer ? (
            <CustomerPanel
              sale={sale}
              customer={sale.customer}
              progress={preview.shown?.preview.executedActions.progress ?? []}
              dispatch={dispatch}
              onLeave={leave}
              onCustomer={takeNew}
              onShowCard={(card) => setShownCard({ card, next: places.showCard })}
            />
          ) : isReading ? (
            <Waiting />
          ) : (
            <FindCustomer
              find={finding.find}
              isBusy={finding.isBusy}
              error={finding.error ?? notRead}
              searched={finding.searched}
              onRetry={notRead ? again.refetch : undefined}
              onRegistered={takeNew}
            />
          )}
        </div>
      </section>
      <section className="till-part" data-part="products" aria-labelledby="till-products-title">
        <Title order={2} size="h4" id="till-products-title" mb="sm">
          {t('products.title')}
        </Title>
        <ProductPicker onPick={pick} onCustomItem={() => setAsked({})} />
      </section>
      <BasketPart selling={selling} toPay={toPay} isReading={isReading} />
      <div className="till-charge">
        {/* Here and not in the basket, because a phone shows this part whichever tab is open. */}
        <Notices preview={preview} refused={refused} />
        <PartChoice part={part} lines={sale.lines.length} onChoose={setPart} />
        {sale.customer || isReading || sale.lines.length === 0 ? (
          <ChargeButton toPay={toPay} isReady={isReady} isBusy={isSending} onCharge={charge} />
        ) : (
          <Button size="lg" fullWidth variant="default" onClick={() => goTo('customer', places.customer)}>
            {t('basket.findCustomer')}
          </Button>
        )}
      </div>
      {shownCard && (
        <ShowCard
          card={shownCard.card}
          onClose={() => {
            setShownCard(undefined)
            focusOn(shownCard.next)
          }}
        />
      )}
      {asked && (
        <PriceForm
          product={asked.product}
          onClose={() => setAsked(undefined)}
          onAdd={(line) => {
            setAsked(undefined)
            add(line)
          }}
        />
      )}
    </main>
  )
}

interface BasketPartProps {
  readonly selling: Selling
  readonly toPay: string
  readonly isReading: boolean
}

function BasketPart({ selling, toPay, isReading }: BasketPartProps) {
  const { t } = useTranslation('till')
  const { sale, dispatch, preview } = selling
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
            <IconTrash size={20} aria-hidden />
          </ActionIcon>
        )}
      </Group>
      <div className="till-scrolls">
        {sale.isKept && (
          <Alert color="yellow" icon={<IconHistory aria-hidden />} mb="xs">
            {t('basket.kept')}
          </Alert>
        )}
        <Basket sale={sale} shown={preview.shown} dispatch={dispatch} />
      </div>
      <Stack gap="sm" className="till-foot">
        <Points
          sale={sale}
          shown={preview.shown}
          spendable={preview.spendable}
          isCurrent={!preview.isBusy}
          dispatch={dispatch}
        />
        <Gains shown={sale.lines.length > 0 ? preview.shown : undefined} />
        <SaleTotals toPay={toPay} shown={preview.shown} isCurrent={preview.current !== undefined} />
        {!sale.customer && !isReading && sale.lines.length > 0 && (
          <Text size="sm" c="dimmed">
            {t('basket.noCustomer')}
          </Text>
        )}
      </Stack>
    </section>
  )
}

interface PartChoiceProps {
  readonly part: Part
  readonly lines: number
  readonly onChoose: (part: Part) => void
}

function PartChoice({ part, lines, onChoose }: PartChoiceProps) {
  const { t } = useTranslation('till')
  return (
    <SegmentedControl
      className="till-parts"
      fullWidth
      value={part}
      onChange={(to) => onChoose(to as Part)}
      aria-label={t('parts')}
      data={[
        { value: 'customer', label: t('customer.title') },
        { value: 'products', label: t('products.title') },
        { value: 'basket', label: t('basket.short', { lines: formatNumber(lines) }) },
      ]}
    />
  )
}

/** Why the sale cannot be charged, and what to check before it is. */
function Notices({ preview, refused }: { readonly preview: Selling['preview']; readonly refused: unknown }) {
  return (
    <>
      {preview.error && <Failure error={preview.error} onRetry={() => preview.retry()} />}
      {refused !== undefined && <Failure error={refused} />}
      <PriceWarnings warnings={preview.current?.preview.warnings} />
    </>
  )
}
