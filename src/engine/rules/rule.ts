/**
 * Defines a rule kind: a name, the schema of its configuration, and a pure function from what the rule covers
 * of a basket to what it gives. Conditions (`when`) and `limits` are the same for all kinds and are handled
 * elsewhere. A kind converts its configuration into whole numbers once; nothing is parsed at the till.
 */
import type { Static, TObject } from 'typebox'
import type { SkipReason } from '../../domain/skip-reason.ts'

/** The decimals that a rule's numbers are read with. */
export interface Scale {
  readonly currencyDecimals: number
  readonly balanceDecimals: number
}

/**
 * What a rule covers of a basket. The payable amount is an exact fraction: `payable × spreadNumerator /
 * spreadDenominator` minor units, after order-level reductions and the points' worth are spread over the
 * lines.
 */
export interface Covered {
  readonly payable: number
  readonly spreadNumerator: number
  readonly spreadDenominator: number
  /** Sum of the covered quantities, in millionths. */
  readonly quantity: number
  /** Whether there is a line, or an amount above zero. */
  readonly isVisit: boolean
}

/**
 * What the rules of a campaign have given to a balance so far: whole `units`, and the exact fraction behind
 * them.
 */
export interface Given {
  readonly units: number
  /** The exact value when it is not whole. */
  readonly exact?: { readonly numerator: bigint; readonly denominator: bigint }
}

interface KindParts<Config extends TObject, Compiled> {
  readonly kind: string
  readonly title: string
  readonly description: string
  /** Summary of a rule of this kind, with fields of its configuration in braces. */
  readonly sentence: string
  /** The fields of this kind, including `balance`; the console generates its form from them. */
  readonly config: Config
  readonly compile: (config: Static<Config>, scale: Scale) => Compiled
}

interface CollectingKind<Config extends TObject, Compiled> extends KindParts<Config, Compiled> {
  readonly stage: 'collect'
  /**
   * The most one basket can give, so that a definition that could overflow a balance is refused when it is
   * written.
   */
  readonly maxPerBasket: (rule: Compiled, largest: { amountMinor: number; quantity: number }) => number
  /** Units of the balance before limits, or the reason why there are none. */
  readonly evaluate: (rule: Compiled, covered: Covered) => number | SkipReason
}

interface MultiplyingKind<Config extends TObject, Compiled> extends KindParts<Config, Compiled> {
  readonly stage: 'multiply'
  readonly evaluate: (rule: Compiled, given: Given) => Given
}

/** A rule kind with its own types closed over, so that all kinds fit into one list. */
export type RuleKind = Pick<
  KindParts<TObject, unknown>,
  'kind' | 'title' | 'description' | 'sentence' | 'config'
> &
  (
    | {
        readonly stage: 'collect'
        readonly prepare: (config: unknown, scale: Scale) => (covered: Covered) => number | SkipReason
        readonly maxPerBasket: (
          config: unknown,
          scale: Scale,
          largest: { amountMinor: number; quantity: number },
        ) => number
      }
    | {
        readonly stage: 'multiply'
        readonly prepare: (config: unknown, scale: Scale) => (given: Given) => Given
      }
  )

export function defineRule<Config extends TObject, Compiled>(
  source: CollectingKind<Config, Compiled> | MultiplyingKind<Config, Compiled>,
): RuleKind {
  const { kind, title, description, sentence, config } = source
  const compile = (definition: unknown, scale: Scale) => source.compile(definition as Static<Config>, scale)
  if (source.stage === 'multiply') {
    return {
      kind,
      title,
      description,
      sentence,
      config,
      stage: 'multiply',
      prepare(definition, scale) {
        const rule = compile(definition, scale)
        return (given) => source.evaluate(rule, given)
      },
    }
  }
  return {
    kind,
    title,
    description,
    sentence,
    config,
    stage: 'collect',
    prepare(definition, scale) {
      const rule = compile(definition, scale)
      return (covered) => source.evaluate(rule, covered)
    },
    maxPerBasket: (definition, scale, largest) => source.maxPerBasket(compile(definition, scale), largest),
  }
}
