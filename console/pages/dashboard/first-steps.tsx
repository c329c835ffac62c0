import { Button, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { paths, till } from '../../paths.ts'
import { IconCheck } from '../../ui/icons.ts'
import { sendersQuery } from '../../ui/messages/message.ts'
import { PageLink } from '../../ui/page-link.tsx'

interface FirstStepsProps {
  /** The completed steps. */
  readonly hasCampaign: boolean
  readonly hasConnection: boolean
  readonly hasCustomer: boolean
}

/** Steps to the first sale, for an organization that has none yet. */
export function FirstSteps({ hasCampaign, hasConnection, hasCustomer }: FirstStepsProps) {
  const { t } = useTranslation('home')
  const steps = [
    { key: 'campaign', isDone: hasCampaign, to: paths.newCampaign() },
    { key: 'till', isDone: hasConnection, to: paths.connections() },
    { key: 'customer', isDone: hasCustomer, to: undefined },
  ]
  const next = steps.find(({ isDone }) => !isDone)
  return (
    <Stack className="lw-surface" p={{ base: 'md', sm: 'xl' }} gap="lg" maw={720}>
      <div>
        <Title order={2} size="h3">
          {t('steps.title')}
        </Title>
        <Text c="dimmed">{t('steps.about')}</Text>
      </div>
      <Stack component="ol" gap="lg" m={0} p={0} style={{ listStyle: 'none' }}>
        {steps.map(({ key, isDone, to }, i) => {
          const variant = key === next?.key ? 'filled' : 'default'
          const label = t(`steps.${key}.action`)
          return (
            <Group component="li" key={key} wrap="nowrap" align="flex-start" gap="md">
              <ThemeIcon radius="xl" size={32} variant={isDone ? 'filled' : 'light'} aria-hidden={!isDone}>
                {isDone ? <IconCheck size={18} aria-label={t('steps.done')} /> : i + 1}
              </ThemeIcon>
              <Stack gap={6} align="flex-start">
                <div>
                  <Title order={3} size="h5">
                    {t(`steps.${key}.title`)}
                  </Title>
                  <Text size="sm" c="dimmed">
                    {t(`steps.${key}.about`)}
                  </Text>
                </div>
                {to ? (
                  <Button size="xs" variant={variant} renderRoot={(root) => <Link to={to} {...root} />}>
                    {label}
                  </Button>
                ) : (
                  <Button size="xs" variant={variant} component="a" href={till}>
                    {label}
                  </Button>
                )}
              </Stack>
            </Group>
          )
        })}
      </Stack>
      <LaterSteps />
    </Stack>
  )
}

/** What a merchant can do without, for the time being. */
function LaterSteps() {
  const { t } = useTranslation('home')
  const { data: senders } = useQuery(sendersQuery)
  if (senders === undefined || senders.length > 0) return null
  return (
    <Text size="sm" c="dimmed">
      {t('steps.messages.about')}{' '}
      <PageLink to={paths.messages()} search={{ tab: 'senders' }} size="sm" underline="always">
        {t('steps.messages.action')}
      </PageLink>
    </Text>
  )
}
