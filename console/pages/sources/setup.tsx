import { Alert, Button, Group, List, Loader, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { paths } from '../../paths.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { IconAlertTriangle, IconBraces, IconCheck } from '../../ui/icons.ts'
import { Section } from '../../ui/section.tsx'
import { CopyField } from '../../ui/shown-once.tsx'
import { examplePayload } from './example.ts'
import { KeyStep } from './keys.tsx'
import type { Source } from './requests.ts'
import classes from './setup.module.css'
import { isSilent, isUnfinished, stateOf } from './source.ts'

/** What to do until sales come in, one step after the other. Once they do, it folds. */
export function Setup({ source }: { readonly source: Source }) {
  const { t } = useTranslation('sources')
  const [isOpen, setOpen] = useState<boolean>()
  const isShown = isOpen ?? isUnfinished(source)
  return (
    <Section
      title={t('setup.title')}
      actions={
        <Button
          size="compact-sm"
          variant="subtle"
          aria-expanded={isShown}
          aria-label={t(isShown ? 'setup.hideAll' : 'setup.showAll')}
          onClick={() => setOpen(!isShown)}
        >
          {t(isShown ? 'setup.hide' : 'setup.show')}
        </Button>
      }
    >
      {isShown && <Steps source={source} />}
    </Section>
  )
}

function Steps({ source }: { readonly source: Source }) {
  const { t } = useTranslation('sources')
  const { kind, url } = source
  const isReady = ['waiting', 'active'].includes(stateOf(source))
  return (
    <ol className={classes.steps}>
      <Step number={1} title={t('setup.address')} isDone>
        <Text size="sm">{t('setup.addressAbout')}</Text>
        <CopyField label={t('address')} value={url} />
        {kind !== 'json' && !url.startsWith('https:') && (
          <Alert color="yellow" icon={<IconAlertTriangle />}>
            <Text size="sm">{t('setup.notPublic')}</Text>
          </Alert>
        )}
      </Step>
      <Step number={2} title={t(`setup.${kind}.title`)} isDone={!isSilent(source)}>
        <AtSender source={source} />
      </Step>
      {kind === 'json' ? (
        <Step number={3} title={t('setup.mapping')} isDone={!isSilent(source)}>
          <Text size="sm">{t('setup.mappingAbout')}</Text>
          <Group>
            <Button
              variant="default"
              leftSection={<IconBraces size={16} />}
              renderRoot={(root) => <Link to={paths.sourceMapping(source.id)} {...root} />}
            >
              {t('mapping.open')}
            </Button>
          </Group>
        </Step>
      ) : (
        <Step number={3} title={t('setup.keys')} isDone={isReady}>
          <Text size="sm">{t(`setup.${kind}.keys`)}</Text>
          <KeyStep source={source} />
        </Step>
      )}
      {isReady && isSilent(source) && (
        <li className={classes.step}>
          <Loader size={18} type="dots" className={classes.waiting} aria-hidden />
          <Text size="sm" c="dimmed" role="status">
            {t('setup.waiting')}
          </Text>
        </li>
      )}
    </ol>
  )
}

interface StepProps {
  readonly number: number
  readonly title: string
  readonly isDone: boolean
  readonly children: ReactNode
}

function Step({ number, title, isDone, children }: StepProps) {
  const { t } = useTranslation('sources')
  return (
    <li className={classes.step}>
      <ThemeIcon variant={isDone ? 'filled' : 'light'} size={28} radius="xl" aria-hidden>
        {isDone ? <IconCheck size={16} /> : number}
      </ThemeIcon>
      <Stack gap="xs" miw={0}>
        <Title order={3} size="h6" lh={1.75}>
          {t('setup.step', { number, title })}
        </Title>
        {children}
      </Stack>
    </li>
  )
}

const vendorSteps = {
  shopify: ['open', 'create', 'address'],
  square: ['open', 'subscribe', 'events'],
} as const

/** What to do in the other system, in plain words. */
function AtSender({ source }: { readonly source: Source }) {
  const { kind, url, signatureHeader } = source
  const { t } = useTranslation('sources')
  if (kind !== 'json') {
    // As Square calls them in every language.
    const environment = source.environment === 'sandbox' ? 'Sandbox' : 'Production'
    return (
      <List size="sm" spacing={6} type="unordered">
        {vendorSteps[kind].map((step) => (
          <List.Item key={step}>{t(`setup.${kind}.${step}`, { environment })}</List.Item>
        ))}
      </List>
    )
  }
  return (
    <>
      <Text size="sm">{t('setup.json.send')}</Text>
      <Text size="sm">
        {signatureHeader ? t('setup.json.signature', { header: signatureHeader }) : t('setup.json.bearer')}
      </Text>
      {!signatureHeader && <CodeBlock label={t('setup.json.example')}>{curl(url)}</CodeBlock>}
    </>
  )
}

const curl = (url: string): string => `curl ${url} \\
  -H 'Authorization: Bearer <secret>' \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(examplePayload, null, 2)}'`
