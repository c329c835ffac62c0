import { ActionIcon, Anchor, Group, Menu, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { formatDate } from '../../i18n/format.ts'
import { paths } from '../../paths.ts'
import { Copy } from '../../ui/copy.tsx'
import {
  IconDots,
  IconExternalLink,
  IconLinkOff,
  IconLock,
  IconLockOpen,
  IconRefresh,
  IconReplace,
} from '../../ui/icons.ts'
import { PageLink } from '../../ui/page-link.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import classes from './card.module.css'
import type { Customer } from './customer.ts'
import { SendLink } from './send-link.tsx'
import { useCardActions } from './use-card-actions.ts'

type CardReply = Schemas['Card']

interface CardProps {
  readonly card: CardReply
  readonly customer: Customer
}

export function Card({ card, customer }: CardProps) {
  const { t } = useTranslation('customers')
  const { timezone } = useSession().organization
  return (
    <Stack gap="sm">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <PageLink to={paths.campaign(card.campaign)} fw={550}>
          {card.campaignName}
        </PageLink>
        <Group gap="xs" wrap="nowrap">
          <StatusBadge of="card" status={card.status} />
          <CardMenu card={card} />
        </Group>
      </Group>
      <ScanCode card={card} />
      <Text size="sm" c="dimmed">
        {t('card.since', { date: formatDate(card.createdAt, timezone) })}
      </Text>
      {card.walletUrl && (
        <Group gap="xs" justify="space-between">
          <Text size="sm">{t('card.wallet')}</Text>
          <Group gap="xs">
            <Copy value={card.walletUrl} label={t('card.copyWallet')} />
            {card.status === 1 && <SendLink card={card} customer={customer} />}
            <Anchor href={card.walletUrl} target="_blank" rel="noreferrer" size="sm">
              <Group gap={4} component="span">
                {t('card.openWallet')}
                <IconExternalLink size={14} />
              </Group>
            </Anchor>
          </Group>
        </Group>
      )}
      {!card.walletUrl && (
        <Text size="sm" c="dimmed">
          {t('card.noWallet')}
        </Text>
      )}
    </Stack>
  )
}

function ScanCode({ card }: { readonly card: CardReply }) {
  const { t } = useTranslation('customers')
  const [kind, setKind] = useState('code128')
  return (
    <Stack gap="xs">
      <SegmentedControl
        size="xs"
        aria-label={t('card.kind')}
        value={kind}
        onChange={setKind}
        data={['code128', 'qr'].map((value) => ({ value, label: t(`card.${value}`) }))}
      />
      <div className={classes.code}>
        <img
          className={classes.image}
          data-kind={kind}
          src={`/v1/cards/${card.id}/barcode.svg?kind=${kind}`}
          alt={t('card.image', { number: card.barcode })}
        />
        <Group gap={6} wrap="nowrap">
          <span className={classes.number}>{card.barcode}</span>
          <span className={classes.copy}>
            <Copy value={card.barcode} label={t('card.copyNumber')} />
          </span>
        </Group>
      </div>
    </Stack>
  )
}

function CardMenu({ card }: { readonly card: CardReply }) {
  const { t } = useTranslation('customers')
  const actions = useCardActions(card)
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" aria-label={t('card.actions')}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconRefresh size={16} />} onClick={actions.renew}>
          {t('card.renew')}
        </Menu.Item>
        {card.walletUrl && (
          <Menu.Item leftSection={<IconLinkOff size={16} />} onClick={actions.revoke}>
            {t('card.revoke')}
          </Menu.Item>
        )}
        <Menu.Divider />
        {card.status === 2 ? (
          <Menu.Item leftSection={<IconLockOpen size={16} />} onClick={actions.unblock}>
            {t('card.unblock')}
          </Menu.Item>
        ) : (
          <Menu.Item leftSection={<IconLock size={16} />} onClick={actions.block}>
            {t('card.block')}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconReplace size={16} />} onClick={actions.replace}>
          {t('card.replace')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
