import { ActionIcon, Badge, Box, Button, Group, Menu, Text, Tooltip } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { may } from '../../api/session.ts'
import { formatNumber } from '../../i18n/format.ts'
import {
  IconArrowBackUp,
  IconCloudOff,
  IconCode,
  IconDots,
  IconHelp,
  IconLayoutDashboard,
  IconLogout,
  IconSettings,
} from '../../ui/icons.ts'
import { ColorSchemeToggle } from '../../ui/shell/color-scheme-toggle.tsx'
import { LanguageMenu } from '../../ui/shell/language-menu.tsx'
import type { Outbox } from '../outbox/outbox.ts'
import { useTillContext } from './till-context.ts'

interface TillHeaderProps {
  readonly outbox: Outbox
  readonly onOutbox: () => void
  readonly isCallsOpen: boolean
  readonly onCalls: () => void
  readonly onReturn: () => void
  readonly onHelp: () => void
  readonly onSettings: () => void
  readonly onSignOut: () => void
}

export function TillHeader(props: TillHeaderProps) {
  const { t } = useTranslation('till')
  const { organization } = useTillContext().session
  const showsCalls = useShowsCalls()
  return (
    <header className="till-header">
      <Group gap="sm" wrap="nowrap" miw={0} flex={1}>
        <Box component="img" src="/icon.svg" alt="" w={28} h={28} visibleFrom="xs" />
        <Text fw={650} truncate dir="auto">
          {organization.name}
        </Text>
        {organization.mode === 'test' && (
          <Tooltip label={t('shell:test.about')}>
            <Badge color="yellow" autoContrast size="lg" flex="none">
              {t('shell:test.mark')}
            </Badge>
          </Tooltip>
        )}
        {organization.isDemo && (
          <Tooltip label={t('shell:demoAbout')}>
            <Badge
              color="yellow"
              autoContrast
              className="till-status"
              visibleFrom={props.outbox.aside.length > 0 ? 'sm' : undefined}
            >
              {t('shell:demo')}
            </Badge>
          </Tooltip>
        )}
      </Group>
      <Group gap="xs" wrap="nowrap">
        <OutboxButton outbox={props.outbox} onOutbox={props.onOutbox} />
        <Button
          variant="default"
          visibleFrom="sm"
          leftSection={<IconArrowBackUp size={18} />}
          onClick={props.onReturn}
        >
          {t('return.title')}
        </Button>
        {showsCalls && (
          <Button
            variant="default"
            visibleFrom="sm"
            leftSection={<IconCode size={18} />}
            aria-expanded={props.isCallsOpen}
            onClick={props.onCalls}
          >
            {t('calls.title')}
          </Button>
        )}
        <LanguageMenu />
        <ColorSchemeToggle />
        <MoreMenu {...props} />
      </Group>
    </header>
  )
}

/** Requests are for those who build a till of their own, not for cashiers. */
function useShowsCalls(): boolean {
  const { session } = useTillContext()
  return session.organization.isDemo || may(session, 'manage')
}

/** How many sales and returns the service has not recorded, and whether it refused some. */
function OutboxButton({ outbox, onOutbox }: Pick<TillHeaderProps, 'outbox' | 'onOutbox'>) {
  const { t } = useTranslation('till')
  if (outbox.aside.length === 0) return null
  const refused = outbox.aside.filter((entry) => entry.refused).length
  const count = refused || outbox.aside.length
  const text = t(refused > 0 ? 'aside.refused' : 'aside.count', { count })
  return (
    <Button
      color={refused > 0 ? 'red' : 'yellow'}
      autoContrast={refused === 0}
      onClick={onOutbox}
      aria-label={text}
      className="till-status"
    >
      <Box component="span" visibleFrom="sm">
        {text}
      </Box>
      <Group component="span" gap={6} wrap="nowrap" hiddenFrom="sm">
        <IconCloudOff size={18} />
        {formatNumber(count)}
      </Group>
    </Button>
  )
}

function MoreMenu(props: TillHeaderProps) {
  const { t } = useTranslation('till')
  const { person } = useTillContext().session
  return (
    <Menu width={260} withinPortal={false}>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label={t('more')}>
          <IconDots size={20} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {person.name ?? person.email} · {t(`common:role.${person.role}`)}
        </Menu.Label>
        <Menu.Item hiddenFrom="sm" leftSection={<IconArrowBackUp size={18} />} onClick={props.onReturn}>
          {t('return.title')}
        </Menu.Item>
        {useShowsCalls() && (
          <Menu.Item hiddenFrom="sm" leftSection={<IconCode size={18} />} onClick={props.onCalls}>
            {t('calls.title')}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconSettings size={18} />} onClick={props.onSettings}>
          {t('settings.title')}
        </Menu.Item>
        <Menu.Item leftSection={<IconHelp size={18} />} onClick={props.onHelp}>
          {t('help.title')}
        </Menu.Item>
        <Menu.Item component="a" href="/console" leftSection={<IconLayoutDashboard size={18} />}>
          {t('console')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={18} />} onClick={props.onSignOut}>
          {t('shell:signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
