import { Text } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'

/** Keeps dates and receipt numbers on one line. */
export function Nowrap({ children }: { readonly children: ReactNode }) {
  return (
    <Text span inherit style={{ whiteSpace: 'nowrap' }}>
      {children}
    </Text>
  )
}

/** Names longer than this have to wrap on a phone. */
const mostTogether = 28

/** A line such as "Points: 35 · Stamps: 2", which wraps between the parts, not before a number. */
export function Parts({ texts }: { readonly texts: readonly string[] }) {
  return (
    <span>
      {texts.map((text, index) => (
        <Fragment key={text}>
          {index > 0 && ' · '}
          <bdi style={{ whiteSpace: text.length > mostTogether ? undefined : 'nowrap' }}>{text}</bdi>
        </Fragment>
      ))}
    </span>
  )
}

/** Truncates a long email so that it does not push other columns out of sight; hovering shows all of it. */
export function Short({ children }: { readonly children: string }) {
  return (
    <Text inherit maw={210} truncate title={children}>
      {children}
    </Text>
  )
}
