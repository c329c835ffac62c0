import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { IconArrowBackUp } from '../../ui/icons.ts'
import type { Settled } from '../outbox/send.ts'
import { BalancesAfter } from '../sale/totals.tsx'
import { useMoney } from '../shell/till-context.ts'
import { useReturnTexts } from './use-return-texts.ts'

interface ReturnResultProps {
  readonly settled: Extract<Settled, { kind: 'return' }>
  readonly onNext: () => void
}

/** Describes what a return gave back and took. */
export default function ReturnResult({ settled: { done, entry }, onNext }: ReturnResultProps) {
  const { t } = useTranslation('till')
  const money = useMoney()
  const texts = useReturnTexts(done)
  return (
    <main className="till-alone" id="till-main" tabIndex={-1}>
      <Stack gap="lg" maw={520} w="100%">
        <Group gap="sm" wrap="nowrap">
          <IconArrowBackUp size={40} color="var(--mantine-primary-color-filled)" />
          <Title order={1} size="h2">
            {t('return.refund', { amount: money(done.refundAmount) })}
          </Title>
        </Group>
        <div className="lw-surface till-sheet">
          <Text size="sm" c="dimmed" mb="sm">
            {t('return.done', { number: done.opaqueId ?? entry.number, receipt: entry.receipt ?? '' })}
          </Text>
          <ul className="till-effects">
            {texts.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
          <BalancesAfter collectables={done.executedActions.collectables} />
        </div>
        <Group>
          <Button size="lg" onClick={onNext} autoFocus>
            {t('receipt.next')}
          </Button>
        </Group>
      </Stack>
    </main>
  )
}
