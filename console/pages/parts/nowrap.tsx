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
