import { Center, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { ColorSchemeToggle } from './color-scheme-toggle.tsx'
import { LanguageMenu } from './language-menu.tsx'

interface FrontDoorProps {
  readonly title: string
  readonly about: string
  readonly children: ReactNode
}

/** Frame of the pages for people who are not signed in. */
export function FrontDoor({ title, about, children }: FrontDoorProps) {
  useEffect(() => {
    document.title = `${title} · Loyalty Wallet`
  }, [title])
  return (
    <Center mih="100vh" p="md" component="main">
      <Stack w="100%" maw={380} gap="md">
        <Group justify="space-between">
          <Group gap="sm">
            <img src="/icon.svg" alt="" width={36} height={36} />
            <Text fw={650} size="lg">
              Loyalty Wallet
            </Text>
          </Group>
          <Group gap="xs">
            <LanguageMenu />
            <ColorSchemeToggle />
          </Group>
        </Group>
        <Paper withBorder p="lg" className="lw-surface">
          <Stack gap="md">
            <div>
              <Title order={1} size="h3">
                {title}
              </Title>
              <Text c="dimmed" size="sm">
                {about}
              </Text>
            </div>
            {children}
          </Stack>
        </Paper>
      </Stack>
    </Center>
  )
}
