import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { Failure } from '../../ui/failure.tsx'
import { IconPrinter } from '../../ui/icons.ts'
import type { Card } from '../sale/sale.ts'
import { useClosedByBack } from '../shell/back.ts'
import { useTillContext } from '../shell/till-context.ts'
import { SendCard } from './send-card.tsx'
import { WalletCode } from './wallet-code.tsx'

interface ShowCardProps {
  readonly card: Card
  readonly onClose: () => void
}

/** Shows the customer's card as a QR code. The service notes who asked for it in the audit log. */
export default function ShowCard({ card, onClose }: ShowCardProps) {
  const { t } = useTranslation('till')
  useClosedByBack(onClose)
  const { organization } = useTillContext().session
  // One key per showing, so that a retry is not a second one.
  const [key] = useState(newIdempotencyKey)
  const { data, error, refetch } = useQuery({
    queryKey: ['wallet', card.id, key],
    queryFn: () => {
      const params = { path: { id: card.id }, header: { 'idempotency-key': key } }
      return dataOf(api.POST('/v1/cards/{id}/wallet/show', { params, body: {} as never }))
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  return (
    <Modal opened onClose={onClose} title={t('wallet.title')} centered>
      <Stack gap="md">
        <article className="till-slip" aria-label={t('wallet.show')}>
          <Text fw={650} className="till-paper-only">
            {organization.name}
          </Text>
          <Text size="sm" c="dimmed">
            {t('customer.card', { name: card.campaignName, ending: card.barcode.slice(-4) })}
          </Text>
          {error ? (
            <Failure error={error} onRetry={() => refetch()} />
          ) : data?.walletUrl === undefined ? (
            <div className="till-qr-place" aria-busy />
          ) : (
            <WalletCode url={data.walletUrl} isTitled />
          )}
        </article>
        <Group justify="flex-end" gap="xs" className="till-screen-only">
          <SendCard card={card} />
          {data?.walletUrl !== undefined && (
            <Button variant="default" leftSection={<IconPrinter size={18} />} onClick={() => window.print()}>
              {t('receipt.print')}
            </Button>
          )}
          <Button onClick={onClose} data-autofocus>
            {t('wallet.done')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
