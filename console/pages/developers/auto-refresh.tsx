import { Switch } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useFilters } from '../../ui/lists/filters.ts'

const refreshMs = 5_000

/** Reloads a `DataList` every few seconds while it is switched on and the page is visible. */
export function AutoRefresh({ list }: { readonly list: string }) {
  const { t } = useTranslation('developers')
  const [filters, setFilters] = useFilters()
  const queries = useQueryClient()
  const isOn = filters.live === '1'
  useEffect(() => {
    if (!isOn) return
    const timer = setInterval(() => {
      if (!document.hidden) queries.invalidateQueries({ queryKey: [list, 'list'] })
    }, refreshMs)
    return () => clearInterval(timer)
  }, [isOn, list, queries])
  return (
    <Switch
      label={t('requests.live')}
      checked={isOn}
      onChange={({ currentTarget }) => setFilters({ live: currentTarget.checked ? '1' : undefined })}
    />
  )
}
