import { ActionIcon, Box, Button, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Session } from '../../api/session.ts'
import { useTestClock, useVisit } from '../../api/test-clock.ts'
import { formatDateTime } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { IconArrowBackUp, IconFlask } from '../icons.ts'
import { PageLink } from '../page-link.tsx'
import classes from './test-ribbon.module.css'

export const ribbonHeight = 40

/** On every page of a test organization: what it is, and which time it has. */
export function TestRibbon({ session: { organization, liveOrganization } }: { readonly session: Session }) {
  const { t } = useTranslation('shell')
  const { data: clock } = useTestClock()
  const { mutate: visit, isPending } = useVisit()
  return (
    <Box component="section" className={classes.ribbon} h={ribbonHeight} px="md" aria-label={t('test.label')}>
      <Group gap="xs" wrap="nowrap" miw={0}>
        <IconFlask size={18} className={classes.icon} />
        <Text size="sm" fw={700} className={classes.whole}>
          {t('test.mark')}
        </Text>
        <Text size="sm" truncate visibleFrom="sm">
          {t('test.about')}
        </Text>
      </Group>
      <Group gap="sm" wrap="nowrap">
        {clock && (
          <PageLink to={paths.testMode()} size="sm" className={classes.time}>
            <time dateTime={clock.now}>{formatDateTime(clock.now, organization.timezone)}</time>
          </PageLink>
        )}
        {liveOrganization && (
          <Button
            visibleFrom="sm"
            size="compact-sm"
            variant="default"
            loading={isPending}
            leftSection={<IconArrowBackUp size={16} />}
            onClick={() => visit(liveOrganization.id)}
          >
            {t('test.back')}
          </Button>
        )}
        {liveOrganization && (
          <ActionIcon
            hiddenFrom="sm"
            variant="default"
            loading={isPending}
            aria-label={t('test.back')}
            onClick={() => visit(liveOrganization.id)}
          >
            <IconArrowBackUp size={18} />
          </ActionIcon>
        )}
      </Group>
    </Box>
  )
}
