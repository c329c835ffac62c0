import { Accordion, Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../../api/client.ts'
import { IconPlus } from '../../ui/icons.ts'
import { Section } from '../../ui/section.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { toast } from '../../ui/toast.ts'
import { Card } from './card.tsx'
import type { Customer } from './customer.ts'
import { RegisterForm } from './register-form.tsx'

/** Replaced and closed cards will never be scanned again, so they come last. */
const isFormer = ({ status }: Schemas['Card']) => status > 2

export function Cards({ customer }: { readonly customer: Customer }) {
  const { t } = useTranslation('customers')
  const [isOpening, setOpening] = useState(false)
  const live = customer.cards.filter((card) => !isFormer(card))
  const former = customer.cards.filter(isFormer)
  return (
    <Section
      title={t('card.title')}
      actions={
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={14} />}
          onClick={() => setOpening(true)}
        >
          {t('card.further')}
        </Button>
      }
    >
      {customer.cards.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('card.none')}
        </Text>
      )}
      {live.map((card) => (
        <Card key={card.id} card={card} customer={customer} />
      ))}
      {former.length > 0 && (
        <Accordion variant="default" chevronPosition="left">
          <Accordion.Item value="former" bd="none">
            <Accordion.Control px={0}>
              <Text size="sm">{t('card.former', { count: former.length })}</Text>
            </Accordion.Control>
            <Accordion.Panel>
              <Stack gap="xs">
                {former.map(({ id, barcode, campaignName, status }) => (
                  <Group key={id} justify="space-between" gap="xs">
                    <Text size="sm">
                      <bdi className="lw-tabular">{barcode}</bdi> · {campaignName}
                    </Text>
                    <StatusBadge of="card" status={status} />
                  </Group>
                ))}
              </Stack>
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
      )}
      <RegisterForm
        isOpen={isOpening}
        onClose={() => setOpening(false)}
        customer={customer.id}
        onDone={() => toast.success(t('card.opened'))}
      />
    </Section>
  )
}
