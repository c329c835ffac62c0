import { Group, SegmentedControl, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useSession } from '../../api/session.ts'
import { type Language, languages } from '../../i18n/languages.ts'
import { paths } from '../../paths.ts'
import { useFilters } from '../../ui/lists/filters.ts'
import { type Channel, channels } from '../../ui/messages/message.ts'
import { Page } from '../../ui/page.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { PageFailure } from '../../ui/shell/page-failure.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import { kindsQuery, type MessageText, textsQuery } from './kinds.ts'
import { TextEditor } from './text-editor.tsx'

/** The words of a kind of message, for each way to send it and each language. */
export function TextsPage() {
  const { t } = useTranslation('messages')
  const { kind } = useParams({ strict: false }) as { kind: string }
  const { data: kinds, error: kindsError } = useQuery(kindsQuery)
  const { data: texts, error: textsError, refetch } = useQuery(textsQuery(kind))
  const { locale } = useSession().organization
  const [{ channel = 'email', language = languageOf(locale) }] = useFilters()
  const parent = { to: paths.messages(), title: t('title') }
  const error = textsError ?? kindsError
  if (error) return <PageFailure error={error} onRetry={refetch} title={t('text.title')} parent={parent} />
  if (!texts || !kinds) return <Waiting />
  const text = texts.find((each) => each.channel === channel && each.language === language) ?? texts[0]!
  const placeholders = kinds.find((each) => each.kind === kind)?.placeholders ?? []
  return (
    <Page title={t(`kind.${kind}.when`)} parent={parent} about={t(`kind.${kind}.about`)}>
      <Stack gap="md">
        <Choice texts={texts} text={text} />
        <TextEditor key={`${text.channel} ${text.language}`} text={text} placeholders={placeholders} />
      </Stack>
    </Page>
  )
}

const isLanguage = (text: string): text is Language => Object.hasOwn(languages, text)

/** The language in which the merchant's messages are sent. */
function languageOf(locale: string): Language {
  const language = locale.split('-', 1)[0]!.toLowerCase()
  return isLanguage(language) ? language : 'en'
}

interface ChoiceProps {
  readonly texts: readonly MessageText[]
  readonly text: MessageText
}

function Choice({ texts, text: { channel, language } }: ChoiceProps) {
  const { t } = useTranslation('messages')
  const { locale } = useSession().organization
  const [, setFilters] = useFilters()
  const ways: readonly Channel[] = channels.filter((way) => texts.some((each) => each.channel === way))
  const used = languageOf(locale)
  return (
    <Stack gap={4}>
      <Group gap="md" align="flex-end">
        {ways.length > 1 && (
          <SegmentedControl
            aria-label={t('log.channel')}
            data={ways.map((way) => ({ value: way, label: t(`channel.${way}`) }))}
            value={channel}
            onChange={(value) => setFilters({ channel: value })}
          />
        )}
        <Select
          aria-label={t('common:language')}
          data={Object.entries(languages).map(([value, { name }]) => ({ value, label: name }))}
          value={language}
          onChange={(value) => value && setFilters({ language: value })}
          allowDeselect={false}
          w={160}
        />
      </Group>
      <Text size="sm" c="dimmed">
        {t('text.language', { language: languages[used].name })}{' '}
        <PageLink to={paths.settings()} size="sm" underline="always">
          {t('text.toSettings')}
        </PageLink>
      </Text>
    </Stack>
  )
}
