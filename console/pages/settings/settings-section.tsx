import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

interface SettingsSectionProps {
  readonly title: string
  readonly about?: string
  readonly children: ReactNode
}

/** One topic of the settings. */
export function SettingsSection({ title, about, children }: SettingsSectionProps) {
  return (
    <Stack component="section" className="lw-surface" p={{ base: 'md', sm: 'lg' }} gap="md">
      <div>
        <Title order={2} size="h4">
          {title}
        </Title>
        {about && (
          <Text size="sm" c="dimmed">
            {about}
          </Text>
        )}
      </div>
      {children}
    </Stack>
  )
}
