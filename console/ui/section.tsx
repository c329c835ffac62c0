import { Code, Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { Copy } from './copy.tsx'
import classes from './section.module.css'

interface SectionProps {
  readonly title: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A section of a detail page with its own heading. */
export function Section({ title, actions, children }: SectionProps) {
  return (
    <Stack component="section" gap="md" p="lg" className="lw-surface">
      <Group justify="space-between" gap="xs">
        <Title order={2} size="h5">
          {title}
        </Title>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}

export interface Fact {
  readonly label: string
  /** A fact without a value is left out. */
  readonly value: ReactNode
}

export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={classes.facts}>
      {facts
        .filter(({ value }) => value !== undefined && value !== null && value !== '' && value !== false)
        .map(({ label, value }) => (
          <div key={label} className={classes.fact}>
            <Text component="dt" size="sm" c="dimmed">
              {label}
            </Text>
            <Text component="dd" size="sm" m={0} className={classes.value}>
              {value}
            </Text>
          </div>
        ))}
    </dl>
  )
}

/** An id of the service, which is too long to read, with a button to copy it. */
export function IdText({ id }: { readonly id: string }) {
  return (
    <span className={classes.id}>
      <bdi>{id}</bdi>
      <Copy value={id} />
    </span>
  )
}

/** Metadata as formatted JSON; undefined if there is none. */
export function metaDataText(metaData: Readonly<Record<string, unknown>> | undefined): ReactNode {
  if (metaData === undefined || Object.keys(metaData).length === 0) return undefined
  return (
    <Code block className={classes.data}>
      {JSON.stringify(metaData, undefined, 2)}
    </Code>
  )
}
