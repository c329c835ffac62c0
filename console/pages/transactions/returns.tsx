import { Alert, Divider, Group, Stack, Text } from '@mantine/core'
import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { returnActionWords } from '../../i18n/action-words.ts'
import { formatDateTime, formatMoney, formatNumber } from '../../i18n/format.ts'
import { IconCheck } from '../../ui/icons.ts'
import { Section } from '../../ui/section.tsx'
import { lineName, type Sale } from './lines.tsx'
import { useWords } from './use-words.ts'

/** Returns of the sale, newest last. */
export function Returns({ sale }: { readonly sale: Sale }) {
  const { t } = useTranslation('transactions')
  const { currency, timezone } = useSession().organization
  if (sale.returns.length === 0) return null
  return (
    <Section title={t('returns.title')}>
      {sale.returns.map((done, i) => (
        <Fragment key={done.id}>
          {i > 0 && <Divider />}
          <Stack gap={4}>
            <Group justify="space-between" gap="xs">
              <Text size="sm" fw={550}>
                {t('returns.refunded', { amount: formatMoney(done.refundAmount, currency) })}
              </Text>
              <Text size="sm" c="dimmed">
                {formatDateTime(done.createdAt, timezone)}
              </Text>
            </Group>
            {done.opaqueId && (
              <Text size="sm" c="dimmed">
                {t('returns.number', { number: done.opaqueId })}
              </Text>
            )}
            {done.reason && <Text size="sm">{done.reason}</Text>}
            <ReturnActions done={done} sale={sale} />
          </Stack>
        </Fragment>
      ))}
    </Section>
  )
}

interface ReturnProps {
  readonly done: Schemas['ReturnPreview']
  readonly sale: Sale
}

/** The result of a return that was just made. */
export function ReturnDone({ done, sale, onClose }: ReturnProps & { readonly onClose: () => void }) {
  const { t } = useTranslation('transactions')
  return (
    <Alert
      role="status"
      color="pine"
      variant="light"
      icon={<IconCheck />}
      title={t('return.done')}
      withCloseButton
      closeButtonLabel={t('common:close')}
      onClose={onClose}
    >
      <ReturnWords done={done} sale={sale} />
    </Alert>
  )
}

/** What a return does, or would do. */
export function ReturnWords({ done, sale }: ReturnProps) {
  const { t } = useTranslation('transactions')
  const { currency } = useSession().organization
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        {t('return.refund', { amount: formatMoney(done.refundAmount, currency) })}
      </Text>
      <ReturnActions done={done} sale={sale} />
    </Stack>
  )
}

function ReturnActions({ done, sale }: ReturnProps) {
  const { t } = useTranslation('transactions')
  const { currency } = useSession().organization
  const { actions } = done.executedActions
  const words = useWords(sale, actions)
  const nameOf = (id: string) => {
    const line = sale.items.find((item) => item.id === id)
    return line ? lineName(line) : id
  }
  const texts = [
    ...done.items.map(({ id, quantity }) =>
      t('returns.lines', { quantity: formatNumber(quantity), line: nameOf(id) }),
    ),
    ...(done.amount === undefined ? [] : [t('returns.part', { amount: formatMoney(done.amount, currency) })]),
    ...(done.pointsRestored > 0
      ? [t('returns.pointsRestored', { points: formatNumber(done.pointsRestored) })]
      : []),
    ...actions.map((action) => returnActionWords(words, action)),
  ]
  return texts.map((text, i) => (
    <Text size="sm" key={i}>
      {text}
    </Text>
  ))
}
