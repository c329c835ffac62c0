import { Alert, Button, CopyButton, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { IconCheck, IconCopy, IconEyeOff } from './icons.ts'

interface ShownOnceProps {
  readonly title: string
  /** Reason to copy it now. */
  readonly warning: string
  readonly doneLabel: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Something the service shows only once. A click outside must not close it. */
export function ShownOnce({ title, warning, doneLabel, onClose, children }: ShownOnceProps) {
  return (
    <Modal opened onClose={onClose} title={title} size="lg" closeOnClickOutside={false} closeOnEscape={false}>
      <Stack gap="md">
        <Alert color="yellow" icon={<IconEyeOff />}>
          {warning}
        </Alert>
        {children}
        <Group justify="flex-end">
          <Button onClick={onClose}>{doneLabel}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}

interface ShownSecretProps {
  /** Has its words under `secret`. */
  readonly namespace: string
  readonly secret: string
  readonly onClose: () => void
}

export function ShownSecret({ namespace, secret, onClose }: ShownSecretProps) {
  const { t } = useTranslation(namespace)
  return (
    <ShownOnce
      title={t('secret.title')}
      warning={t('secret.once')}
      doneLabel={t('secret.done')}
      onClose={onClose}
    >
      <CopyField label={t('secret.label')} value={secret} />
      <Text size="sm">{t('secret.about')}</Text>
    </ShownOnce>
  )
}

/** A value with a button to copy it. */
export function CopyField({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap">
      <TextInput
        label={label}
        value={value}
        readOnly
        flex={1}
        dir="ltr"
        onFocus={({ currentTarget }) => currentTarget.select()}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
      />
      <CopyTextButton value={value} />
    </Group>
  )
}

export function CopyTextButton({ value, label }: { readonly value: string; readonly label?: string }) {
  const { t } = useTranslation('common')
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          onClick={copy}
          leftSection={copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          style={{ flexShrink: 0 }}
        >
          {copied ? t('copied') : (label ?? t('copy'))}
        </Button>
      )}
    </CopyButton>
  )
}
