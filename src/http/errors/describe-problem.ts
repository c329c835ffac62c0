/** Describes what the domain found wrong with a value, in one sentence with the field names of the API. */
import { parseId } from '../../domain/ids.ts'
import { type Place, type Problem, type RefusalCode, refusals } from '../../domain/refusal.ts'
import { toPlace, toSentence } from '../../domain/validation-error.ts'

/** API names of fields that the domain has another word for. */
const apiWords: Record<string, string> = { lines: 'items', coupons: 'reward' }

export function describeProblem(problem: Problem, code: RefusalCode): string {
  switch (problem.kind) {
    case 'too_many_decimals':
      return sentence(problem.at, `must have at most ${problem.most} decimals`)
    case 'too_small':
      return sentence(problem.at, `must be at least ${problem.least}`)
    case 'not_positive':
      return sentence(problem.at, 'must be more than 0')
    case 'too_large':
      return sentence(problem.at, `must be at most ${problem.most}`)
    case 'sum_too_large':
      return sentence(problem.at, `the sum must be at most ${problem.most}`)
    case 'empty':
      return sentence(problem.at, 'must not be empty')
    case 'too_long_ago':
      return sentence(
        problem.at,
        `must not be more than ${reach(problem.mostDays)} in the past, unless \`maxBackdateDays\` of the organization is raised`,
      )
    case 'before_first_card':
      return sentence(
        problem.at,
        `must not be before the customer had a card of this campaign, which was opened at ${problem.opened.toISOString()}; check the clock of the till, or leave it out`,
      )
    case 'unknown_line':
      return sentence(problem.at, `the sale has no item ${quoted(problem.line)}`)
    case 'too_little_left':
      return sentence(problem.at, `less than that is left of item ${quoted(problem.line)}`)
    case 'less_left':
      return sentence(problem.at, `only ${problem.left} is left of the sale`)
    case 'not_by_amount':
      return sentence(problem.at, 'only for a sale without items, and not beside `items`')
    case 'nothing_left':
      return 'Nothing is left of the sale.'
    case 'balance_too_large':
      return `The balance ${quoted(problem.balance)} would become larger than ${problem.most} units.`
    case 'coupon':
      return `${couponWords(problem.coupon)}${refusals[code]}`
    case 'coupon_without_unit':
      return (
        `${couponWords(problem.coupon)}No unit of its products is left that another coupon has not made free. ` +
        'Leave this coupon out, or add a unit.'
      )
    case 'coupon_without_worth':
      return (
        `${couponWords(problem.coupon)}The coupon is worth nothing here: nothing is left to pay, or its worth rounds to nothing. ` +
        'Leave it out, and it can be used another time. If your discounts already include it, send `couponsIncluded: true`.'
      )
    case 'points_without_worth':
      return 'So few points are worth nothing in money. Spend more of them, or none.'
    case 'contradicts':
      return sentence(problem.at, `must not be false beside ${problem.field}, which prices the whole order`)
  }
}

function sentence(at: Place, message: string): string {
  return toSentence({ place: apiPlace(at), message })
}

/** A place in the words of the API, such as `items[0].reward`. */
export function apiPlace(at: Place): string {
  return toPlace(at.map((part) => apiWords[part] ?? part))
}

function reach(days: number): string {
  if (days === 0) return '5 minutes'
  return days === 1 ? '1 day' : `${days} days`
}

/** Names the coupon by its ID. Any other text is the client's own, and is not repeated. */
function couponWords(coupon: string): string {
  return parseId('cpn', coupon) ? `${coupon}: ` : ''
}

/** The text comes from the client and ends up in logs, so it is truncated. */
function quoted(name: string): string {
  return name.length > 64 ? `"${name.slice(0, 64)}…"` : `"${name}"`
}
