import '@mantine/spotlight/styles.css'
import { useDebouncedValue } from '@mantine/hooks'
import {
  createSpotlight,
  Spotlight as MantineSpotlight,
  type SpotlightActionGroupData,
} from '@mantine/spotlight'
import { IconSearch } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { may, type Session } from '../api/session.ts'
import { formatDateTime, formatMoney } from '../format.ts'
import { paths } from '../paths.ts'
import { actions, useFoundCampaigns, useFoundCustomers, useFoundTransactions } from './found.ts'
import { menu } from './menu-entries.ts'

const [store, spotlight] = createSpotlight()

interface SpotlightProps {
  readonly session: Session
  /** Opens each time it grows. */
  readonly openedTimes: number
}

/** Ctrl-K: jump to a page, begin something, or find a customer, a campaign or a transaction. */
export default function Spotlight({ session, openedTimes }: SpotlightProps) {
  const { t } = useTranslation('shell')
  const navigate = useNavigate()
  const { timezone, currency } = session.organization
  const [text, setText] = useState('')
  const [asked] = useDebouncedValue(text.trim(), 200)
  // Each further Ctrl-K opens it again.
  useEffect(spotlight.open, [openedTimes])
  const customers = useFoundCustomers(asked)
  const campaigns = useFoundCampaigns(asked)
  const transactions = useFoundTransactions(asked)
  const isFetching = [customers, campaigns, transactions].some((one) => one.isFetching)
  const isWaiting = isFetching || asked !== text.trim()
  useEffect(selectFirst, [customers.data, campaigns.data, transactions.data])
  const fits = ({ label }: { label: string }) => label.toLowerCase().includes(text.trim().toLowerCase())
  const groups: SpotlightActionGroupData[] = [
    {
      group: t('spotlight.pages'),
      actions: menu
        .flatMap(({ entries }) => entries)
        .filter(({ scope }) => may(session, scope))
        .map(({ key, to, icon: Icon }) => ({
          id: key,
          label: t(`pages.${key}`),
          leftSection: <Icon size={18} aria-hidden />,
          onClick: () => navigate({ to }),
        }))
        .filter(fits),
    },
    {
      group: t('spotlight.actions'),
      actions: actions
        .map(({ key, icon: Icon, ...way }) => ({
          id: key,
          label: t(`spotlight.${key}`),
          leftSection: <Icon size={18} aria-hidden />,
          onClick: () => ('href' in way ? location.assign(way.href) : navigate(way as { to: string })),
        }))
        .filter(fits),
    },
    {
      group: t('spotlight.customers'),
      actions: (customers.data ?? []).map(({ id, data: { fullname, phone, email } }) => ({
        id,
        label: fullname ?? phone ?? email ?? id,
        description: [phone, email].filter(Boolean).join(' · '),
        onClick: () => navigate({ to: paths.customer(id) }),
      })),
    },
    {
      group: t('spotlight.campaigns'),
      actions: (campaigns.data ?? []).map(({ id, name, status }) => ({
        id,
        label: name,
        description: t(`common:status.campaign.${status}`),
        onClick: () => navigate({ to: paths.campaign(id) }),
      })),
    },
    {
      group: t('spotlight.transactions'),
      actions: (transactions.data ?? []).map(({ id, opaqueId, occurredAt, payableAmount }) => ({
        id,
        label: opaqueId ?? id,
        description: `${formatDateTime(occurredAt, timezone)} · ${formatMoney(payableAmount, currency)}`,
        onClick: () => navigate({ to: paths.transaction(id) }),
      })),
    },
  ]
  return (
    <MantineSpotlight
      store={store}
      actions={groups.filter(({ actions }) => actions.length > 0)}
      query={text}
      onQueryChange={setText}
      // The service has filtered already.
      filter={(_, actions) => actions}
      shortcut={null}
      nothingFound={isWaiting ? undefined : t('spotlight.nothing')}
      highlightQuery
      attributes={{ content: { 'aria-label': t('search') } }}
      searchProps={{
        leftSection: <IconSearch size={18} aria-hidden />,
        placeholder: t('search'),
        'aria-label': t('search'),
      }}
    />
  )
}

/** The library selects the first entry with each letter typed; what the service finds comes after that. */
function selectFirst(): void {
  const list = document.getElementById(store.getState().listId)
  if (!list || list.querySelector('[data-selected]')) return
  list.querySelector('[data-action]')?.setAttribute('data-selected', 'true')
  store.updateState((state) => ({ ...state, selected: 0 }))
}
