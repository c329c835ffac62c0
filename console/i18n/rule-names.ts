/**
 * Names of the rules in responses. A response contains only a rule's id; its kind is in the version of the
 * campaign that the sale ran on. Each campaign is loaded once, no matter how many rows refer to it.
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

/** Call `load` first; a rule whose campaign is not loaded is shown by its id. */
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

/** Names of rules for campaigns that are known up front; the component renders again once they are loaded. */
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
