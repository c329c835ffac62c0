import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { answerOf, api } from '../../api/client.ts'
import { type DayRange, rangeBefore } from './range.ts'

/** Sums and days of a range and of the one before it, all or nothing. */
export function useReports(range: DayRange) {
  return useQuery({
    queryKey: ['reports', range],
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const before = rangeBefore(range)
      const summaryOf = (query: DayRange) => answerOf(api.GET('/v1/reports/summary', { params: { query } }))
      const daysOf = (query: DayRange) => answerOf(api.GET('/v1/reports/daily', { params: { query } }))
      const [sum, sumBefore, days, daysBefore] = await Promise.all([
        summaryOf(range),
        summaryOf(before),
        daysOf(range),
        daysOf(before),
      ])
      return { range, before, sum, sumBefore, days: days.data, daysBefore: daysBefore.data }
    },
  })
}

export type Reports = NonNullable<ReturnType<typeof useReports>['data']>
