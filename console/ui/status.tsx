import { Badge } from '@mantine/core'
import type { ReactNode } from 'react'

/** Semantic tone of a status badge. */
export type Tone = 'good' | 'over' | 'waiting' | 'wrong' | 'used'

const colors = { good: 'pine', over: 'gray', waiting: 'yellow', wrong: 'red', used: 'blue' } as const

/** The appearance of a status, the same on every page. */
export function Status({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <Badge variant="light" color={colors[tone]} className="lw-tabular">
      {children}
    </Badge>
  )
}

/** Tone of an HTTP status: 4xx is for the caller to fix, 5xx for the service. */
export function HttpStatus({ status }: { readonly status: number }) {
  return <Status tone={status >= 500 ? 'wrong' : status >= 400 ? 'waiting' : 'good'}>{status}</Status>
}
