import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../api/client.ts'
import { changeWords } from '../i18n/balance-words.ts'
import { formatDateTime, formatMoney } from '../i18n/format.ts'
import { balanceOf } from './card-parts.tsx'
import { readCard } from './card-request.ts'
import { Receipt } from './receipt.tsx'
import type { WalletCard } from './use-card.ts'

export type Visit = WalletCard['visits'][number]
type VisitPage = Schemas['WalletVisitPage']

export function Visits({ card }: { readonly card: WalletCard }) {
  const { t } = useTranslation('wallet')
  const older = useOlderVisits(card)
  return (
    <section className="visits">
      <h2>{t('visits')}</h2>
      {older.visits.length === 0 ? (
        <p className="hint">{t('noVisits')}</p>
      ) : (
        <ul className="rows">
          {older.visits.map((visit) => (
            <VisitRow key={visit.id ?? visit.at} visit={visit} card={card} />
          ))}
        </ul>
      )}
      {older.more !== undefined && (
        <button type="button" disabled={older.isLoading} onClick={older.load}>
          {t('moreVisits')}
        </button>
      )}
      <output className="trouble">{older.hasFailed && t('needsConnection')}</output>
    </section>
  )
}

/** Visits seen so far: a new one pushes the tenth off the card, but not off the page of somebody who reads on. */
function useOlderVisits(card: WalletCard) {
  const [seen, setSeen] = useState<{ readonly visits: readonly Visit[]; readonly more?: string }>()
  const [state, setState] = useState<'idle' | 'loading' | 'failed'>('idle')
  const more = seen ? seen.more : card.moreVisits
  const load = async () => {
    setState('loading')
    try {
      const { data, nextCursor } = await readCard<VisitPage>(`visits?cursor=${more}`)
      setSeen((before) => ({ visits: [...(before?.visits ?? card.visits), ...data], more: nextCursor }))
      setState('idle')
    } catch {
      setState('failed')
    }
  }
  const shown = new Map(
    [...card.visits, ...(seen?.visits ?? [])].map((visit) => [visit.id ?? visit.at, visit]),
  )
  return {
    visits: [...shown.values()],
    more,
    load,
    isLoading: state === 'loading',
    hasFailed: state === 'failed',
  }
}

function VisitRow({ visit, card }: { readonly visit: Visit; readonly card: WalletCard }) {
  const { t } = useTranslation('wallet')
  const [isOpen, setIsOpen] = useState(false)
  const { currency, timezone } = card.organization
  const { id, at, amount, branchName, collected, spent, isReturned, isPartlyReturned } = visit
  const change = (sums: Record<string, number> | undefined, sign: 1 | -1) =>
    Object.entries(sums ?? {}).map(([key, moved]) => changeWords(balanceOf(card, key), sign * moved))
  const returned = isReturned ? t('returned') : isPartlyReturned && t('partlyReturned')
  const facts = [branchName, formatMoney(amount, currency), returned]
  const row = (
    <>
      <span>
        <time dateTime={at}>{formatDateTime(at, timezone)}</time>
        <small>{facts.filter(Boolean).join(' · ')}</small>
      </span>
      <span className="changes">
        {[...change(collected, 1), ...change(spent, -1)].map((text) => (
          <span key={text}>{text}</span>
        ))}
      </span>
    </>
  )
  // A card that this phone kept before visits had receipts has no IDs of them.
  if (id === undefined) return <li className="visit">{row}</li>
  return (
    <li>
      <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary className="visit">{row}</summary>
        {isOpen && <Receipt id={id} card={card} />}
      </details>
    </li>
  )
}
