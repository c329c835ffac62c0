import { ActionIcon, Menu } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type Icon, IconDots } from './icons.ts'

interface ActionsMenuProps {
  /** Names what the actions are for. */
  readonly label: string
  /** On a page of its own the button stands among larger ones; otherwise in a row of a list. */
  readonly isLarge?: boolean
  /** `Action` elements. */
  readonly children: ReactNode
}

/** The button with three dots, and what can be done with one thing. */
export function ActionsMenu({ label, isLarge, children }: ActionsMenuProps) {
  return (
    <Menu position="bottom-end" width={230}>
      <Menu.Target>
        <ActionIcon
          variant={isLarge ? 'default' : 'subtle'}
          color="gray"
          size={isLarge ? 36 : undefined}
          aria-label={label}
        >
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}

interface ActionProps {
  readonly icon: Icon
  readonly isDangerous?: boolean
  readonly children: ReactNode
  readonly onClick: () => void
}

export function Action({ icon: Shown, isDangerous, onClick, children }: ActionProps) {
  return (
    <Menu.Item color={isDangerous ? 'red' : undefined} leftSection={<Shown size={16} />} onClick={onClick}>
      {children}
    </Menu.Item>
  )
}

interface LinkActionProps extends Pick<ActionProps, 'icon' | 'children'> {
  readonly to: string
}

export function LinkAction({ icon: Shown, to, children }: LinkActionProps) {
  return (
    <Menu.Item leftSection={<Shown size={16} />} renderRoot={(root) => <Link to={to} {...root} />}>
      {children}
    </Menu.Item>
  )
}
