import { Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** Dates and numbers of receipts stay on one line. */
export function Nowrap({ children }: { readonly children: ReactNode }) {
  return (
    <Text span inherit style={{ whiteSpace: 'nowrap' }}>
      {children}
    </Text>
  )
}

/** A long e-mail must not push the other columns out of sight; the whole of it appears when pointed at. */
export function Short({ children }: { readonly children: string }) {
  return (
    <Text inherit maw={210} truncate title={children}>
      {children}
    </Text>
  )
}
