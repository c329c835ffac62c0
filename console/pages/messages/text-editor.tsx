import { Badge, Button, Group, SimpleGrid, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { languages } from '../../i18n/languages.ts'
import { AskBeforeLeaving } from '../../ui/ask-before-leaving.tsx'
import { Failure } from '../../ui/failure.tsx'
import { toast } from '../../ui/toast.ts'
import { useAsk } from '../../ui/use-ask.tsx'
import { type MessageText, textsQuery } from './kinds.ts'
import { TextPreview } from './text-preview.tsx'
import { troubleIn } from './text-trouble.ts'
import { useInsertion } from './use-insertion.ts'

interface TextEditorProps {
  readonly text: MessageText
  /** What may be filled in, such as `link`. */
  readonly placeholders: readonly string[]
}

export function TextEditor({ text, placeholders }: TextEditorProps) {
  const { t } = useTranslation('messages')
  const { kind, channel, language } = text
  const { subject = '', body } = text
  const [draft, setDraft] = useState({ subject, body })
  // Saved, or taken back to our words.
  useEffect(() => setDraft({ subject, body }), [subject, body])
  const { mutate, isPending, error } = useSave(text)
  const insertion = useInsertion(draft, setDraft)
  const trouble = troubleIn(draft, channel, placeholders)
  const isChanged = draft.body !== body || draft.subject !== subject
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate(draft)
  }
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" verticalSpacing="lg">
      <AskBeforeLeaving isDirty={isChanged} isByQuery />
      <form onSubmit={submit}>
        <Stack gap="sm" p="lg" className="lw-surface">
          <Group justify="space-between" gap="xs">
            <Title order={2} size="h5">
              {t('text.title')}
            </Title>
            <Badge variant="default" tt="none" fw={500}>
              {t(text.own ? 'text.own' : 'text.ours')}
            </Badge>
          </Group>
          {error && <Failure error={error} />}
          <TextFields text={text} fieldOf={insertion.fieldOf} trouble={trouble} />
          <Placeholders names={placeholders} onInsert={insertion.insert} />
          <Group gap="xs" mt="xs">
            <Button type="submit" loading={isPending} disabled={!isChanged || trouble !== undefined}>
              {t('common:save')}
            </Button>
            {text.own && <BackToOurs text={text} />}
          </Group>
        </Stack>
      </form>
      <TextPreview request={{ kind, channel, language, ...draft }} isBroken={trouble !== undefined} />
    </SimpleGrid>
  )
}

interface TextFieldsProps {
  readonly text: MessageText
  readonly fieldOf: ReturnType<typeof useInsertion>['fieldOf']
  readonly trouble: ReturnType<typeof troubleIn>
}

function TextFields({ text: { channel, language }, fieldOf, trouble }: TextFieldsProps) {
  const { t } = useTranslation('messages')
  const { dir } = languages[language]
  return (
    <>
      {channel === 'email' && (
        <TextInput
          {...fieldOf('subject')}
          label={t('text.subject')}
          dir={dir}
          lang={language}
          required
          maxLength={200}
        />
      )}
      <Textarea
        {...fieldOf('body')}
        label={t('text.body')}
        dir={dir}
        lang={language}
        required
        autosize
        minRows={channel === 'email' ? 9 : 4}
        maxLength={5_000}
        error={trouble && t(`text.trouble.${trouble.problem}`, { placeholder: trouble.placeholder })}
      />
    </>
  )
}

interface PlaceholdersProps {
  readonly names: readonly string[]
  readonly onInsert: (name: string) => void
}

function Placeholders({ names, onInsert }: PlaceholdersProps) {
  const { t } = useTranslation('messages')
  return (
    <Stack gap={6} role="group" aria-label={t('text.insert')}>
      <Text size="sm" c="dimmed">
        {t('text.insert')}
      </Text>
      <Group gap={6}>
        {names.map((name) => (
          <Button
            key={name}
            size="compact-sm"
            variant="default"
            title={`{${name}}`}
            onClick={() => onInsert(name)}
          >
            {t(`placeholder.${name}`, { defaultValue: name })}
          </Button>
        ))}
      </Group>
    </Stack>
  )
}

function BackToOurs({ text: { kind, channel, language } }: { readonly text: MessageText }) {
  const { t } = useTranslation('messages')
  const ask = useAsk()
  const path = { kind, channel, language }
  return (
    <Button
      variant="default"
      onClick={() =>
        ask({
          title: t('text.backTitle'),
          about: t('text.backAbout'),
          confirm: t('text.back'),
          isDangerous: true,
          run: () =>
            dataOf(api.DELETE('/v1/message-kinds/{kind}/texts/{channel}/{language}', { params: { path } })),
          done: t('text.backDone'),
        })
      }
    >
      {t('text.back')}
    </Button>
  )
}

function useSave({ kind, channel, language }: MessageText) {
  const { t } = useTranslation('common')
  const queries = useQueryClient()
  return useMutation({
    meta: { isShownInPlace: true },
    mutationFn: ({ subject, body }: { subject: string; body: string }) =>
      dataOf(
        api.PUT('/v1/message-kinds/{kind}/texts/{channel}/{language}', {
          params: { path: { kind, channel, language } },
          body: { subject: channel === 'email' ? subject : undefined, body },
        }),
      ),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: textsQuery(kind).queryKey })
      toast.success(t('saved'))
    },
  })
}
