import { Stack, Text, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { languages } from '../../i18n/languages.ts'
import { Failure } from '../../ui/failure.tsx'
import { Waiting } from '../../ui/waiting.tsx'
import type { MessageText } from './kinds.ts'
import classes from './text-preview.module.css'

interface TextPreviewProps {
  readonly request: Pick<MessageText, 'kind' | 'channel' | 'language'> & {
    readonly subject: string
    readonly body: string
  }
  /** The text cannot be sent as it is: what was shown before stays. */
  readonly isBroken: boolean
}

const pauseMs = 400

/** How the message will look, while its text is being written. */
export function TextPreview({ request, isBroken }: TextPreviewProps) {
  const { t } = useTranslation('messages')
  const [written] = useDebouncedValue(JSON.stringify(request), pauseMs)
  const { data, error, refetch } = useQuery({
    queryKey: ['message-preview', written],
    queryFn: () => previewOf(JSON.parse(written)),
    placeholderData: keepPreviousData,
    enabled: !isBroken,
  })
  const { channel, language } = request
  return (
    <Stack gap="sm" component="section" aria-label={t('text.preview')}>
      <div>
        <Title order={2} size="h5">
          {t('text.preview')}
        </Title>
        <Text size="sm" c="dimmed">
          {t('text.previewAbout')}
        </Text>
      </div>
      {error ? (
        <Failure error={error} onRetry={refetch} />
      ) : !data ? (
        !isBroken && <Waiting />
      ) : channel === 'email' ? (
        <EmailPreview preview={data} language={language} />
      ) : (
        <Text className={classes.sms} dir={languages[language].dir} lang={language}>
          {data.text.trim()}
        </Text>
      )}
    </Stack>
  )
}

function previewOf({ kind, channel, language, subject, body }: TextPreviewProps['request']) {
  return dataOf(
    api.POST('/v1/message-kinds/{kind}/preview', {
      params: { path: { kind } },
      body: { channel, language, subject: channel === 'email' ? subject : undefined, body },
    }),
  )
}

interface EmailPreviewProps {
  readonly preview: Schemas['MessagePreview']
  readonly language: MessageText['language']
}

function EmailPreview({ preview: { subject, html }, language }: EmailPreviewProps) {
  const { t } = useTranslation('messages')
  // Links would leave the frame; a new window is not allowed in the sandbox, so nothing happens.
  const harmless = html.replace('<head>', '<head><base target="_blank">')
  return (
    <div className={classes.email}>
      <Text size="sm" fw={550} p="sm" dir={languages[language].dir} lang={language}>
        {subject}
      </Text>
      <iframe className={classes.frame} title={t('text.preview')} sandbox="" srcDoc={harmless} />
    </div>
  )
}
