/**
 * What the rules in replies are called. Replies name a rule by its id; what kind it is stands in the version of its
 * campaign that the sale ran on. Each campaign is asked for once, however many rows speak of it.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { Definition } from '../forms/definition.ts'
import { useSchemaTexts } from '../forms/form-context.ts'
import { findRule, ruleWords } from '../forms/rule-words.ts'
import { shapesQuery, versionsQuery } from '../pages/campaigns/queries.ts'

interface NamedRule {
  readonly campaign: string
  readonly rule: string
  /** Version of the campaign; defaults to the latest one that has the rule. */
  readonly version?: number
}

/** `load` first; what has not been loaded, or cannot be, is called by its id. */
export function useRuleNames() {
  const queries = useQueryClient()
  const text = useSchemaTexts()

  const load = useCallback(
    async (campaigns: readonly string[]): Promise<void> => {
      const fresh = { staleTime: 60_000, gcTime: Number.POSITIVE_INFINITY }
      await Promise.allSettled([
        queries.fetchQuery(shapesQuery),
        ...[...new Set(campaigns)].map((id) => queries.fetchQuery({ ...versionsQuery(id), ...fresh })),
      ])
    },
    [queries],
  )

  const nameOf = ({ campaign, rule, version }: NamedRule): string => {
    const shapes = queries.getQueryData(shapesQuery.queryKey)
    const versions = queries.getQueryData(versionsQuery(campaign).queryKey)?.data ?? []
    const known =
      versions.find((item) => item.version === version) ??
      versions.find(({ definition }) => findRule(definition as Definition, rule) !== undefined)
    return shapes && known ? ruleWords(known.definition as Definition, rule, shapes, text) : rule
  }

  return { load, nameOf }
}

/** The same for campaigns that are known beforehand: drawn again as soon as they have come. */
export function useRuleNamesOf(campaigns: readonly string[]): (rule: NamedRule) => string {
  const { load, nameOf } = useRuleNames()
  useQuery({
    queryKey: ['rule-names', ...campaigns],
    queryFn: async () => {
      await load(campaigns)
      return true
    },
  })
  return nameOf
}
