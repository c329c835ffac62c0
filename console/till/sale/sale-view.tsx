import { Title } from '@mantine/core'
import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { CustomerPart } from '../customer/customer-part.tsx'
import { useFinding } from '../customer/use-finding.ts'
import { isCardNumber } from '../offline/card-number.ts'
import { useOnReturn } from '../offline/reach.ts'
import type { UnsettledSale } from '../outbox/outbox.ts'
import { lazyPanel } from '../shell/lazy-panel.tsx'
import { useShortcuts } from '../shell/shortcuts.ts'
import { focusNow, focusOn, places } from '../shell/till-context.ts'
import { BasketPart } from './basket-part.tsx'
import { ChargePart, type Part } from './charge-part.tsx'
import { PriceForm } from './price-form.tsx'
import { ProductPicker, useProducts } from './product-picker.tsx'
import { type Card, type Customer, chooseCard, isActive, type Line, type Product } from './sale.ts'
import type { Selling } from './use-sale.ts'

const ShowCard = lazyPanel(() => import('../card/show-card.tsx'))

interface SaleViewProps {
  readonly selling: Selling
  readonly isSending: boolean
  readonly refused: unknown
  /** With the sale if it was charged without the service. */
  readonly onCharge: (later: UnsettledSale | undefined) => void
  /** The code that was scanned; delivered once. */
  readonly scanned: string | undefined
  readonly onScanned: () => void
}

export function SaleView(props: SaleViewProps) {
  const { selling, isSending, refused, onCharge, scanned, onScanned } = props
  const { t } = useTranslation('till')
  const { sale, dispatch, again, isReady, announce } = selling
  const [part, setPart] = useState<Part>(sale.isKept ? 'basket' : 'customer')
  const [asked, setAsked] = useState<{ product?: Product }>()
  const [shownCard, setShownCard] = useState<{ card: Card; next: string }>()
  const { all: products } = useProducts('')
  // A restored basket is still waiting for its customer.
  const isReading = sale.awaited !== undefined && !again.error && selling.isReached

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
  /** Without the service a card is kept by its barcode: it says later whose it is. */
  const findOrKeep = (text: string) => {
    const code = text.replaceAll(/\s/g, '')
    if (selling.isReached || !isCardNumber(code)) return finding.find(text)
    finding.reset()
    dispatch({ type: 'barcode', barcode: code })
    announce(t('offline.cardKept', { ending: code.slice(-4) }))
    goTo('products', places.products)
  }
  useOnReturn(() => sale.barcode && finding.find(sale.barcode))
  /** A new card is shown right away, while its customer is there to scan it. */
  const takeNew = (customer: Customer) => {
    finding.take(customer)
    const card = chooseCard(customer, customer.matchedCard)
    if (isActive(customer) && card && isActive(card)) setShownCard({ card, next: places.products })
  }
  const charge = () => {
    if (!isReady) return
    onCharge(selling.charge())
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
    else findOrKeep(scanned)
  }, [scanned])
  useShortcuts({
    F2: () => (sale.customer || sale.awaited || sale.barcode ? leave() : goTo('customer', places.customer)),
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
          <CustomerPart
            selling={selling}
            finding={finding}
            find={findOrKeep}
            isReading={isReading}
            onLeave={leave}
            onCustomer={takeNew}
            onShowCard={(card) => setShownCard({ card, next: places.showCard })}
          />
        </div>
      </section>
      <section className="till-part" data-part="products" aria-labelledby="till-products-title">
        <Title order={2} size="h4" id="till-products-title" mb="sm">
          {t('products.title')}
        </Title>
        <ProductPicker onPick={pick} onCustomItem={() => setAsked({})} />
      </section>
      <BasketPart selling={selling} isReading={isReading} />
      <ChargePart
        selling={selling}
        isSending={isSending}
        isReading={isReading}
        refused={refused}
        part={part}
        onPart={setPart}
        onCharge={charge}
        onFindCustomer={() => goTo('customer', places.customer)}
      />
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
