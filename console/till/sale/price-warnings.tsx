import { Alert } from '@mantine/core'
import type { Schemas } from '../../api/client.ts'
import { IconInfoCircle } from '../../ui/icons.ts'
import { warningText } from '../../ui/warning-text.ts'

type Warning = Schemas['BasketWarning']

/** Warnings about the price, which a cashier can check. The others are for developers. */
const aboutPrice: readonly Warning['code'][] = [
  'discounts_disagree',
  'amount_differs',
  'coupon_discount_differs',
  'coupon_discount_elsewhere',
]

export function PriceWarnings({ warnings = [] }: { readonly warnings: readonly Warning[] | undefined }) {
  const texts = new Set(warnings.filter(({ code }) => aboutPrice.includes(code)).map(warningText))
  if (texts.size === 0) return null
  return (
    <Alert
      role="status"
      color="yellow"
      variant="light"
      p="sm"
      icon={<IconInfoCircle />}
      className="till-screen-only"
    >
      {[...texts].map((text) => (
        <div key={text} dir="auto">
          {text}
        </div>
      ))}
    </Alert>
  )
}
