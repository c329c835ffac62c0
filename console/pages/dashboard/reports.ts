import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, dataOf } from '../../api/client.ts'
import { type DayRange, rangeBefore, shiftDay } from './range.ts'

/**
 * Totals and days of a range and of the preceding one, plus today if it follows. Fails if one request fails.
 */
export function useReports(range: DayRange, today: string) {
  return useQuery({
    queryKey: ['reports', range, today],
    placeholderData: keepPreviousData,
    queryFn: async () => {
      const before = rangeBefore(range)
      const summaryOf = (query: DayRange) => dataOf(api.GET('/v1/reports/summary', { params: { query } }))
      const daysOf = (query: DayRange) => dataOf(api.GET('/v1/reports/daily', { params: { query } }))
      const isNext = shiftDay(range.to, 1) === today
      const [sum, sumBefore, days, daysBefore, ofToday] = await Promise.all([
        summaryOf(range),
        summaryOf(before),
        daysOf(range),
        daysOf(before),
        isNext ? daysOf({ from: today, to: today }) : undefined,
      ])
      return {
        range,
        before,
        sum,
        sumBefore,
        days: days.data,
        daysBefore: daysBefore.data,
        today: ofToday?.data[0],
      }
    },
  })
}

export type Reports = NonNullable<ReturnType<typeof useReports>['data']>

/** Daily figures, with the current day so far at the end. */
export const allDays = ({ days, today }: Reports): Reports['days'] => (today ? [...days, today] : days)
