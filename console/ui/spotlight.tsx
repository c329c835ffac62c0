import '@mantine/spotlight/styles.css'
import { useDebouncedValue } from '@mantine/hooks'
import {
  createSpotlight,
  Spotlight as MantineSpotlight,
  type SpotlightActionGroupData,
} from '@mantine/spotlight'
import { IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answerOf, api } from '../api/client.ts'
import { may, type Session } from '../api/session.ts'
import { paths } from '../paths.ts'
import { menu } from './menu-entries.ts'

const [store, spotlight] = createSpotlight()

interface SpotlightProps {
  readonly session: Session
  /** Opens each time it grows. */
  readonly openedTimes: number
}

/** Ctrl-K: jump to a page, or to a customer by name, phone, e-mail or barcode. */
export default function Spotlight({ session, openedTimes }: SpotlightProps) {
  const { t } = useTranslation('shell')
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const [asked] = useDebouncedValue(text.trim(), 200)
  // Each further Ctrl-K opens it again.
  useEffect(spotlight.open, [openedTimes])
  const { data, isFetching } = useQuery({
    queryKey: ['customers', 'spotlight', asked],
    enabled: asked.length > 1,
    queryFn: ({ signal }) =>
      answerOf(api.GET('/v1/customers', { params: { query: { q: asked, limit: 6 } }, signal })),
  })
  const isWaiting = isFetching || asked !== text.trim()
  useEffect(selectFirst, [data])
  const fits = (label: string) => label.toLowerCase().includes(text.trim().toLowerCase())
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
        .filter(({ label }) => fits(label)),
    },
    {
      group: t('spotlight.customers'),
      actions: (data?.data ?? []).map(({ id, data: { fullname, phone, email } }) => ({
        id,
        label: fullname ?? phone ?? email ?? id,
        description: [phone, email].filter(Boolean).join(' · '),
        onClick: () => navigate({ to: paths.customer(id) }),
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
