import { useMutation, useQuery } from '@tanstack/react-query'
import { consoleBase } from '../paths.ts'
import { api, dataOf } from './client.ts'
import type { Session } from './session.ts'

export const isTest = ({ organization }: Session): boolean => organization.mode === 'test'

const minuteMs = 60_000

/** The time in the test organization, to the minute. */
export function useTestClock() {
  return useQuery({
    queryKey: ['test-clock'],
    queryFn: () => dataOf(api.GET('/v1/test-clock')),
    refetchInterval: minuteMs,
  })
}

/** Goes to another organization, and loads the page anew: nothing of the one before stays in memory. */
export function useVisit() {
  return useMutation({
    mutationFn: (organization: string) =>
      dataOf(api.POST('/auth/session/organization', { body: { organization } })),
    onSuccess: () => location.assign(`${consoleBase}/`),
  })
}
