import { Alert, Anchor, Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { Copy } from '../../ui/copy.tsx'
import { Failure } from '../../ui/failure.tsx'
import { IconExternalLink } from '../../ui/icons.ts'
import { Section } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.ts'
import { Waiting } from '../../ui/waiting.tsx'
import classes from './enrollment.module.css'

const QrCode = lazy(() => import('../../till/card/qr-code.tsx'))
const Poster = lazy(() => import('./poster/poster.tsx'))

const enrollmentQuery = (id: string) =>
  queryOptions({
    queryKey: ['campaigns', 'enrollment', id],
    queryFn: () => dataOf(api.GET('/v1/campaigns/{id}/enrollment', { params: { path: { id } } })),
  })

/** Whether customers can enroll alone, where, and what to print for that. */
export function Enrollment({ campaign }: { readonly campaign: Schemas['Campaign'] }) {
  const { data, error, refetch } = useQuery(enrollmentQuery(campaign.id))
  if (error) return <Failure error={error} onRetry={refetch} />
  if (!data) return <Waiting />
  return (
    <Stack gap="lg">
      <Settings key={`${data.mode} ${data.shortName}`} campaign={campaign} enrollment={data} />
      {data.url && data.mode !== 'off' && <Address campaign={campaign} url={data.url} />}
    </Stack>
  )
}

type EnrollmentReply = Schemas['Enrollment']
const modes = ['off', 'open', 'approval'] as const

interface SettingsProps {
  readonly campaign: Schemas['Campaign']
  readonly enrollment: EnrollmentReply
}

function Settings({ campaign, enrollment }: SettingsProps) {
  const { t } = useTranslation('campaigns')
  const saved = enrollment.shortName ?? ''
  const [mode, setMode] = useState(enrollment.mode)
  const [shortName, setShortName] = useState(saved || (enrollment.suggestion ?? ''))
  const { mutate, isPending, error } = useSave(campaign.id)
  const isChanged = mode !== enrollment.mode || (shortName !== saved && mode !== 'off')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate({ mode, ...(shortName !== saved && { shortName }) })
  }
  const isArchived = campaign.status === 'archived'
  return (
    <Section title={t('enrollment.title')}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm" c="dimmed">
            {t('enrollment.about')}
          </Text>
          {campaign.status !== 'published' && mode !== 'off' && (
            <Alert variant="default">
              {t(`enrollment.notPublished.${isArchived ? 'archived' : 'other'}`)}
            </Alert>
          )}
          {error && <Failure error={error} />}
          <Radio.Group value={mode} onChange={(value) => setMode(value as typeof mode)}>
            <Stack gap="sm">
              {modes.map((each) => (
                <Radio
                  key={each}
                  value={each}
                  disabled={isArchived}
                  label={t(`enrollment.modes.${each}.label`)}
                  description={t(`enrollment.modes.${each}.about`)}
                />
              ))}
            </Stack>
          </Radio.Group>
          {mode !== 'off' && <ShortName value={shortName} saved={saved} onChange={setShortName} />}
          <Group>
            <Button type="submit" loading={isPending} disabled={!isChanged || isArchived}>
              {t('enrollment.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}

interface ShortNameProps {
  readonly value: string
  /** Empty if there is none yet. */
  readonly saved: string
  readonly onChange: (value: string) => void
}

function ShortName({ value, saved, onChange }: ShortNameProps) {
  const { t } = useTranslation('campaigns')
  return (
    <>
      <TextInput
        label={t('enrollment.shortName')}
        description={t('enrollment.shortNameAbout', { url: `${location.host}/j/${value || '…'}` })}
        value={value}
        dir="ltr"
        required
        minLength={3}
        maxLength={40}
        pattern="[a-z0-9][a-z0-9\-]{1,38}[a-z0-9]"
        title={t('enrollment.shortNameRule')}
        autoComplete="off"
        spellCheck={false}
        onChange={({ currentTarget }) => onChange(currentTarget.value.toLowerCase().replaceAll(/\s+/g, '-'))}
      />
      {saved !== '' && value !== saved && (
        <Alert variant="light" color="orange">
          {t('enrollment.renaming')}
        </Alert>
      )}
    </>
  )
}

function useSave(id: string) {
  const { t } = useTranslation('common')
  const queries = useQueryClient()
  return useMutation({
    meta: { isShownInPlace: true },
    mutationFn: (body: Schemas['EnrollmentPatch']) =>
      dataOf(api.PATCH('/v1/campaigns/{id}/enrollment', { params: { path: { id } }, body })),
    onSuccess: (enrollment) => {
      queries.setQueryData(enrollmentQuery(id).queryKey, enrollment)
      toast.success(t('saved'))
    },
  })
}

function Address({ campaign, url }: { readonly campaign: Schemas['Campaign']; readonly url: string }) {
  const { t } = useTranslation('campaigns')
  return (
    <>
      <Section title={t('enrollment.address')}>
        <div className={classes.address}>
          <div className={classes.code}>
            <Suspense fallback={<Waiting />}>
              <QrCode text={url} label={t('enrollment.qrCode')} />
            </Suspense>
          </div>
          <Stack gap="xs" className={classes.link}>
            <Group gap={4} wrap="nowrap">
              <Text size="sm" fw={600} className={classes.url}>
                <bdi>{url}</bdi>
              </Text>
              <Copy value={url} label={t('enrollment.copy')} />
            </Group>
            <Text size="sm" c="dimmed">
              {t('enrollment.addressAbout')}
            </Text>
            <Anchor href={url} target="_blank" rel="noreferrer" size="sm">
              <IconExternalLink size={14} /> {t('enrollment.open')}
            </Anchor>
          </Stack>
        </div>
      </Section>
      <Section title={t('enrollment.poster.title')}>
        <Suspense fallback={<Waiting />}>
          <Poster campaignName={campaign.name} url={url} />
        </Suspense>
      </Section>
    </>
  )
}
