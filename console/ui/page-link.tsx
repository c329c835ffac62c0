import { Anchor, type AnchorProps } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

export type Search = Record<string, string | undefined>

interface PageLinkProps extends AnchorProps {
  readonly to: string
  readonly search?: Search
  readonly children: ReactNode
}

/** A link to another page of the console; `to` comes from `paths`. */
export function PageLink({ to, search, children, ...props }: PageLinkProps) {
  return (
    <Anchor renderRoot={(root) => <Link to={to} search={search as never} {...root} />} {...props}>
      {children}
    </Anchor>
  )
}
