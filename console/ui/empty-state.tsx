import { Stack, Text, ThemeIcon, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { IconInbox } from './icons.ts'

interface EmptyStateProps {
  readonly title: string
  /** The first thing to do. */
  readonly children?: ReactNode
  readonly action?: ReactNode
  readonly icon?: ReactNode
  /** Whether it fills the page, so that its title is the page's heading. */
  readonly isPage?: boolean
}

export function EmptyState({ title, children, action, icon, isPage }: EmptyStateProps) {
  return (
    <Stack align="center" gap="xs" py={48} px="md" ta="center">
      <ThemeIcon variant="light" size={48} radius="xl">
        {icon ?? <IconInbox size={26} />}
      </ThemeIcon>
      <Title order={isPage ? 1 : 2} size="h4">
        {title}
      </Title>
      {children && (
        <Text c="dimmed" maw={440}>
          {children}
        </Text>
      )}
      {action}
    </Stack>
  )
}
