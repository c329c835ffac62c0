import { Button, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { newIdempotencyKey } from '../../api/idempotency-key.ts'
import { Failure } from '../../ui/failure.tsx'
import { IconSend } from '../../ui/icons.ts'
import type { Card } from '../sale/sale.ts'

const sent = 3
const isOver = (status: number | undefined) => status !== undefined && status >= sent

/** Sends the link to the card to the address that the customer has given, if the merchant can send messages. */
export function SendCard({ card }: { readonly card: Card }) {
  const { t } = useTranslation('till')
  // One key per button, so that a second press is not a second message.
  const [key] = useState(newIdempotencyKey)
  const { data: organization } = useQuery({
    queryKey: ['till', 'organization'],
    queryFn: () => dataOf(api.GET('/v1/till/organization', {})),
  })
  const {
    mutate,
    data: ordered,
    error,
    isPending,
  } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () =>
      dataOf(
        api.POST('/v1/messages', {
          params: { header: { 'idempotency-key': key } },
          body: { card: card.id },
        }),
      ),
  })
  const { data: message } = useQuery({
    queryKey: ['message', ordered?.id],
    queryFn: () => dataOf(api.GET('/v1/messages/{id}', { params: { path: { id: ordered!.id } } })),
    enabled: ordered !== undefined,
    refetchInterval: ({ state }) => (isOver(state.data?.status) ? false : 1_000),
    gcTime: 0,
  })
  if (!organization?.channels.length) return null
  if (error) return <Failure error={error} />
  if (ordered) {
    const status = message?.status
    const word = isOver(status) ? (status === sent ? 'sent' : 'notSent') : 'onItsWay'
    return (
      <Text size="sm" role="status" c={word === 'notSent' ? 'red' : undefined}>
        {t(`wallet.${word}`)}
      </Text>
    )
  }
  return (
    <Button
      variant="default"
      leftSection={<IconSend size={18} />}
      loading={isPending}
      onClick={() => mutate()}
    >
      {t('wallet.send')}
    </Button>
  )
}
