import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { api, dataOf, isUnanswered } from '../api/client.ts'

export interface Wanted {
  readonly items?: { id: string; quantity: number }[]
  /** The part of the payable amount that comes back, for a sale without items; defaults to all that is left. */
  readonly amount?: number
}

/** What a return would refund, take back and restore, according to the service. Nothing is written. */
export function useReturnPreview(id: string, wanted: Wanted | undefined) {
  // Compared as text, because each rendering makes a new object.
  const text = wanted && JSON.stringify(wanted)
  const [settled] = useDebouncedValue(text, 150)
  const asked = text === undefined ? undefined : settled
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['return preview', id, asked],
    queryFn: ({ signal }) =>
      dataOf(
        api.POST('/v1/transactions/{id}/return/validate', {
          params: { path: { id } },
          body: JSON.parse(asked!) as Wanted,
          signal,
        }),
      ),
    enabled: asked !== undefined,
    // The return itself makes every other query stale; a preview of what is done already would be refused.
    staleTime: 'static',
    gcTime: 0,
    placeholderData: keepPreviousData,
  })
  const isSettled = asked !== undefined && asked === text
  return {
    /** Earlier results stay while the next response is pending. */
    shown: asked === undefined || error ? undefined : data,
    isCurrent: isSettled && data !== undefined && !isPlaceholderData,
    error: isSettled ? error : null,
    /** Without a network there is no preview, and the return can be sent later all the same. */
    isUnknown: isSettled && isUnanswered(error),
  }
}
