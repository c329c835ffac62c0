import '@mantine/spotlight/styles.css'
import { useDebouncedValue } from '@mantine/hooks'
import {
  createSpotlight,
  Spotlight as MantineSpotlight,
  type SpotlightActionGroupData,
} from '@mantine/spotlight'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { may, type Session } from '../../api/session.ts'
import { formatDateTime, formatMoney } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { failureText } from '../failure-text.ts'
import { IconSearch } from '../icons.ts'
import { menu } from './menu-entries.ts'
import { actions, useFoundCampaigns, useFoundCustomers, useFoundTransactions } from './spotlight-queries.ts'

const [store, spotlight] = createSpotlight()

interface SpotlightProps {
  readonly session: Session
  /** The dialog opens each time this grows. */
  readonly openedTimes: number
}

/** Ctrl-K: jump to a page, start an action, or find a customer, a campaign or a transaction. */
export default function Spotlight({ session, openedTimes }: SpotlightProps) {
  const { t } = useTranslation('shell')
  const navigate = useNavigate()
  const { timezone, currency } = session.organization
  const [text, setText] = useState('')
  const typed = text.trim()
  const [asked] = useDebouncedValue(typed, 200)
  // Enter was pressed before the response arrived.
  const isHeld = useRef(false)
  // Each further Ctrl-K opens it again.
  useEffect(spotlight.open, [openedTimes])
  const customers = useFoundCustomers(asked)
  const campaigns = useFoundCampaigns(typed)
  const transactions = useFoundTransactions(asked)
  const queries = [customers, campaigns, transactions]
  const isAnswerTo = asked === typed
  const isWaiting = !isAnswerTo || queries.some((item) => item.isFetching)
  const failed = queries.find((item) => item.error)
  useEffect(() => {
    selectFirst()
    if (isWaiting || !isHeld.current) return
    isHeld.current = false
    if (store.getState().opened) selectedEntry()?.click()
  }, [isWaiting, customers.data, campaigns.data, transactions.data])
  const fits = ({ label }: { label: string }) => label.toLowerCase().includes(typed.toLowerCase())
  const groups: SpotlightActionGroupData[] = [
    {
      group: t('spotlight.pages'),
      actions: menu
        .flatMap(({ entries }) => entries)
        .filter(({ scope }) => may(session, scope))
        .map(({ key, to, icon: Icon }) => ({
          id: key,
          label: t(`pages.${key}`),
          leftSection: <Icon size={18} />,
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
          leftSection: <Icon size={18} />,
          onClick: () => ('href' in way ? location.assign(way.href) : navigate(way as { to: string })),
        }))
        .filter(fits),
    },
    {
      group: t('spotlight.customers'),
      actions: ((isAnswerTo && customers.data) || []).map(({ id, data: { fullname, phone, email } }) => ({
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
      actions: ((isAnswerTo && transactions.data) || []).map(
        ({ id, opaqueId, occurredAt, payableAmount }) => ({
          id,
          label: opaqueId ?? id,
          description: `${formatDateTime(occurredAt, timezone)} · ${formatMoney(payableAmount, currency)}`,
          onClick: () => navigate({ to: paths.transaction(id) }),
        }),
      ),
    },
  ]
  // Pages and actions come first and need no response.
  const isFirstKnown = groups.slice(0, 2).some(({ actions }) => actions.length > 0)
  const hold = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || !isWaiting || isFirstKnown) return
    event.preventDefault()
    event.stopPropagation()
    isHeld.current = true
  }
  return (
    <MantineSpotlight
      store={store}
      actions={groups.filter(({ actions }) => actions.length > 0)}
      query={text}
      onQueryChange={(query) => {
        isHeld.current = false
        setText(query)
      }}
      // The service has filtered already.
      filter={(_, actions) => actions}
      shortcut={null}
      nothingFound={isWaiting ? undefined : failed ? failureText(failed.error) : t('spotlight.nothing')}
      highlightQuery
      attributes={{ content: { 'aria-label': t('search') } }}
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: t('search'),
        'aria-label': t('search'),
        onKeyDownCapture: hold,
      }}
    />
  )
}

const listOfEntries = () => document.getElementById(store.getState().listId)
const selectedEntry = () => listOfEntries()?.querySelector<HTMLElement>('[data-selected]')

/** Mantine selects the first entry on each keystroke, but the results of the service arrive later. */
function selectFirst(): void {
  const list = listOfEntries()
  if (!list || selectedEntry()) return
  list.querySelector('[data-action]')?.setAttribute('data-selected', 'true')
  store.updateState((state) => ({ ...state, selected: 0 }))
}
