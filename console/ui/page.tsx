import { Group, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { PageLink, type Search } from './page-link.tsx'

interface PageProps {
  readonly title: string
  /** Purpose of the page, in a sentence. */
  readonly about?: ReactNode
  /** Link to the parent page, above the title. */
  readonly parent?: { readonly to: string; readonly search?: Search; readonly title: string }
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** Layout of every page: title, purpose and actions. */
export function Page({ title, about, parent, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Loyalty Wallet`
  }, [title])
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-end" gap="sm">
        <Stack gap={2} miw={0}>
          {parent && (
            <PageLink to={parent.to} search={parent.search} size="sm">
              {parent.title}
            </PageLink>
          )}
          <Title order={1} size="h2">
            {title}
          </Title>
          {about && (
            <Text c="dimmed" size="sm" maw={640}>
              {about}
            </Text>
          )}
        </Stack>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}
