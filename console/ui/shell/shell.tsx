import {
  ActionIcon,
  AppShell,
  Badge,
  Box,
  Burger,
  Button,
  Group,
  Kbd,
  Menu,
  NavLink,
  ScrollArea,
  Text,
  Tooltip,
} from '@mantine/core'
import { useDisclosure, useHotkeys, useOs } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { may, type Session, useMaybeSession } from '../../api/session.ts'
import { isTest } from '../../api/test-clock.ts'
import { apiReference, consoleBase, paths, till } from '../../paths.ts'
import { IconApi, IconCashRegister, IconSearch, IconUserCircle } from '../icons.ts'
import { toast } from '../toast.ts'
import { Waiting } from '../waiting.tsx'
import { ColorSchemeToggle } from './color-scheme-toggle.tsx'
import { LanguageMenu } from './language-menu.tsx'
import { menu } from './menu-entries.ts'
import { ribbonHeight, TestRibbon } from './test-ribbon.tsx'

const barHeight = 56

const loadSpotlight = () => import('./spotlight.tsx')
const Spotlight = lazy(loadSpotlight)

/** The frame around every page of the console. */
export function Shell() {
  const { data: session } = useMaybeSession()
  const location = useLocation()
  const { t } = useTranslation('shell')
  const [isMenuOpen, { toggle, close }] = useDisclosure()
  // Opening another page closes the menu on a phone.
  useEffect(close, [location.pathname])
  // Loaded on the first Ctrl-K: most visits never search.
  const [searches, setSearches] = useState(0)
  const search = () =>
    loadSpotlight().then(
      () => setSearches((before) => before + 1),
      () => toast.failure(new Error(t('partNotLoaded'))),
    )
  useHotkeys([['mod+K', search]], [])
  if (!session) return <Waiting />

  return (
    <AppShell
      header={{ height: isTest(session) ? barHeight + ribbonHeight : barHeight }}
      navbar={{ width: 230, breakpoint: 'sm', collapsed: { mobile: !isMenuOpen } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <a className="lw-skip" href="#content">
        {t('common:skip')}
      </a>
      <AppShell.Header>
        <Bar session={session} isMenuOpen={isMenuOpen} onMenu={toggle} onSearch={search} />
        {isTest(session) && <TestRibbon session={session} />}
      </AppShell.Header>
      <AppShell.Navbar component="nav" aria-label={t('menu')}>
        <AppShell.Section grow component={ScrollArea} p="xs">
          <MenuEntries session={session} onChoose={close} />
        </AppShell.Section>
        <AppShell.Section p="xs">
          <Group gap="xs" p="xs" hiddenFrom="sm">
            <LanguageMenu />
            <ColorSchemeToggle />
          </Group>
          <NavLink href={till} label={t('till')} leftSection={<IconCashRegister size={18} />} />
          <NavLink href={apiReference} label={t('reference')} leftSection={<IconApi size={18} />} />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <Suspense fallback={<Waiting />}>
          <Outlet />
        </Suspense>
      </AppShell.Main>
      {searches > 0 && may(session, 'manage') && (
        <Suspense fallback={null}>
          <Spotlight openedTimes={searches} session={session} />
        </Suspense>
      )}
    </AppShell>
  )
}

interface BarProps {
  readonly session: Session
  readonly isMenuOpen: boolean
  readonly onMenu: () => void
  readonly onSearch: () => void
}

function Bar({ session, isMenuOpen, onMenu, onSearch }: BarProps) {
  const { t } = useTranslation('shell')
  const { organization } = session
  return (
    <Group h={barHeight} px="md" justify="space-between" wrap="nowrap">
      <Group gap="sm" wrap="nowrap" miw={0}>
        <Burger
          opened={isMenuOpen}
          onClick={onMenu}
          hiddenFrom="sm"
          size="sm"
          aria-label={t('openMenu')}
          aria-expanded={isMenuOpen}
        />
        <Box component="img" src="/icon.svg" alt="" w={26} h={26} visibleFrom="xs" />
        <Text fw={650} truncate dir="auto">
          {organization.name}
        </Text>
        {organization.isDemo && (
          <Tooltip label={t('demoAbout')}>
            <Badge color="yellow" autoContrast flex="none">
              {t('demo')}
            </Badge>
          </Tooltip>
        )}
      </Group>
      <Group gap="xs" wrap="nowrap">
        {may(session, 'manage') && <SearchButton onClick={onSearch} />}
        <Group gap="xs" wrap="nowrap" visibleFrom="sm">
          <LanguageMenu />
          <ColorSchemeToggle />
        </Group>
        <AccountMenu session={session} />
      </Group>
    </Group>
  )
}

function SearchButton({ onClick }: { readonly onClick: () => void }) {
  const { t } = useTranslation('shell')
  const isMac = useOs() === 'macos'
  return (
    <>
      <Button
        variant="default"
        visibleFrom="sm"
        onClick={onClick}
        leftSection={<IconSearch size={16} />}
        rightSection={<Kbd size="xs">{isMac ? '⌘K' : 'Ctrl K'}</Kbd>}
        fw={400}
      >
        {t('search')}
      </Button>
      <ActionIcon variant="default" size="lg" hiddenFrom="sm" onClick={onClick} aria-label={t('search')}>
        <IconSearch size={18} />
      </ActionIcon>
    </>
  )
}

interface MenuEntriesProps {
  readonly session: Session
  readonly onChoose: () => void
}

function MenuEntries({ session, onChoose }: MenuEntriesProps) {
  const { t } = useTranslation('shell')
  const { pathname } = useLocation()
  const isHere = (to: string) => (to === '/' ? pathname === '/' : pathname.startsWith(to))
  return menu
    .map(({ section, entries }) => ({ section, entries: entries.filter(({ scope }) => may(session, scope)) }))
    .filter(({ entries }) => entries.length > 0)
    .map(({ section, entries }) => (
      <div key={section}>
        <Text size="xs" c="dimmed" fw={600} px="xs" pt="sm" pb={4}>
          {t(`sections.${section}`)}
        </Text>
        {entries.map(({ key, to, icon: Icon }) => (
          <NavLink
            key={key}
            renderRoot={(root) => <Link to={to} aria-current={isHere(to) ? 'page' : undefined} {...root} />}
            active={isHere(to)}
            // Choosing the current page also closes the menu, although the route does not change.
            onClick={onChoose}
            label={t(`pages.${key}`)}
            // All entries fit into a window of usual height; a finger needs more room.
            py={{ base: 8, sm: 5 }}
            leftSection={<Icon size={18} />}
          />
        ))}
      </div>
    ))
}

function AccountMenu({ session }: { readonly session: Session }) {
  const { t } = useTranslation('shell')
  const { mutate: signOut } = useMutation({
    mutationFn: async (where: 'here' | 'everywhere') => {
      await dataOf(where === 'here' ? api.DELETE('/auth/session') : api.DELETE('/auth/sessions'))
    },
    onSuccess: () => location.assign(consoleBase + paths.signIn()),
  })
  return (
    <Menu width={240}>
      <Menu.Target>
        <Tooltip label={t('account')}>
          <ActionIcon variant="default" size="lg" aria-label={t('account')}>
            <IconUserCircle size={20} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {session.person.email} · {t(`common:role.${session.person.role}`)}
        </Menu.Label>
        {may(session, 'manage') && (
          <Menu.Item renderRoot={(root) => <Link to={paths.testMode()} {...root} />}>
            {t('test.mode')}
          </Menu.Item>
        )}
        <Menu.Item onClick={() => signOut('here')}>{t('signOut')}</Menu.Item>
        <Menu.Item onClick={() => signOut('everywhere')}>{t('signOutEverywhere')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
