import { Button, SegmentedControl } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { isUnanswered } from '../../api/client.ts'
import { formatNumber } from '../../i18n/format.ts'
import { Failure } from '../../ui/failure.tsx'
import { PriceWarnings } from './price-warnings.tsx'
import { hasBuyer } from './sale.ts'
import { ChargeButton } from './totals.tsx'
import type { Selling } from './use-sale.ts'

/** The parts of the view; a small screen shows one at a time. */
export type Part = 'customer' | 'products' | 'basket'

interface ChargePartProps {
  readonly selling: Selling
  readonly isSending: boolean
  readonly isReading: boolean
  readonly refused: unknown
  readonly part: Part
  readonly onPart: (part: Part) => void
  readonly onCharge: () => void
  readonly onFindCustomer: () => void
}

/** The button to charge, and what stands in its way. */
export function ChargePart(props: ChargePartProps) {
  const { selling, isSending, isReading, refused, part, onPart, onCharge, onFindCustomer } = props
  const { t } = useTranslation('till')
  const { sale, preview, due, isReached, isReady } = selling
  return (
    <div className="till-charge">
      {/* Here and not in the basket, because a phone shows this part whichever tab is open. */}
      <Notices preview={preview} isReached={isReached} refused={refused} />
      <PartChoice part={part} lines={sale.lines.length} onChoose={onPart} />
      {hasBuyer(sale, isReached) || isReading || sale.lines.length === 0 ? (
        <ChargeButton
          due={due}
          isLater={!isReached}
          isReady={isReady}
          isBusy={isSending}
          onCharge={onCharge}
        />
      ) : (
        <Button size="lg" fullWidth variant="default" onClick={onFindCustomer}>
          {t('basket.findCustomer')}
        </Button>
      )}
    </div>
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

interface NoticesProps {
  readonly preview: Selling['preview']
  readonly isReached: boolean
  readonly refused: unknown
}

/** Why the sale cannot be charged, and what to check before it is. */
function Notices({ preview, isReached, refused }: NoticesProps) {
  return (
    <>
      {preview.error && (isReached || !isUnanswered(preview.error)) && (
        <Failure error={preview.error} onRetry={() => preview.retry()} />
      )}
      {refused !== undefined && <Failure error={refused} />}
      <PriceWarnings warnings={preview.current?.preview.warnings} />
    </>
  )
}
