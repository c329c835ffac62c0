import { Button, Radio, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { paths } from '../../paths.ts'
import { FormModal } from '../../ui/form.tsx'
import {
  type Channel,
  channels,
  followMessage,
  type Message,
  sendersQuery,
  troubleOf,
} from '../../ui/messages/message.ts'
import { PageLink } from '../../ui/page-link.tsx'
import { toast } from '../../ui/toast.ts'
import { useModalForm } from '../../ui/use-modal-form.ts'
import type { Customer } from './customer.ts'

interface SendLinkProps {
  readonly card: Schemas['Card']
  readonly customer: Customer
}

/** Sends the customer the link to the card, and says what came of it. */
export function SendLink({ card, customer }: SendLinkProps) {
  const { t } = useTranslation('messages')
  const [isOpen, setOpen] = useState(false)
  const { data: senders = [], isPending } = useQuery({ ...sendersQuery, enabled: isOpen })
  const possible = channels.filter(
    (channel) => addressOf(customer, channel) && senders.some((sender) => sender.channel === channel),
  )
  const tell = useOutcome()
  const { values, set, modal } = useModalForm({
    isOpen,
    onClose: () => setOpen(false),
    initial: (): { channel?: Channel } => ({}),
    send: async ({ channel = possible[0] }, header) =>
      followMessage(
        await dataOf(api.POST('/v1/messages', { params: { header }, body: { card: card.id, channel } })),
      ),
    onDone: tell,
  })
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={() => setOpen(true)}>
        {t('link.action')}
      </Button>
      <FormModal
        {...modal}
        title={t('link.title')}
        submitLabel={t('link.submit')}
        isBlocked={possible.length === 0}
      >
        {possible.length > 0 ? (
          <Radio.Group
            label={t('link.to')}
            value={values.channel ?? possible[0]}
            onChange={(channel) => set({ channel: channel as Channel })}
          >
            <Stack gap="xs" mt={6}>
              {possible.map((channel) => (
                <Radio
                  key={channel}
                  value={channel}
                  label={<bdi>{addressOf(customer, channel)}</bdi>}
                  description={t(`channel.${channel}`)}
                />
              ))}
            </Stack>
          </Radio.Group>
        ) : (
          !isPending && <NotPossible hasSender={senders.length > 0} />
        )}
      </FormModal>
    </>
  )
}

const addressOf = ({ data }: Customer, channel: Channel): string | undefined =>
  channel === 'email' ? data.email : data.phone

function NotPossible({ hasSender }: { readonly hasSender: boolean }) {
  const { t } = useTranslation('messages')
  if (hasSender) return <Text size="sm">{t('link.noAddress')}</Text>
  return (
    <Text size="sm">
      {t('noSender.about')}{' '}
      <PageLink to={paths.messages()} search={{ tab: 'senders' }} size="sm" underline="always">
        {t('noSender.action')}
      </PageLink>
    </Text>
  )
}

function useOutcome(): (message: Message) => void {
  const { t } = useTranslation('messages')
  return (message) => {
    if (message.status === 3) return toast.success(t('link.sent'))
    const reason = troubleOf(message) ?? ''
    if (message.status === 4) return toast.failure(new Error(t('link.failed', { reason })))
    toast.failure(new Error(t(message.status === 5 ? 'link.unclear' : 'link.waiting')))
  }
}
