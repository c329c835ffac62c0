import { List, Progress, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useSession } from '../../api/session.ts'
import { actionWords, skipWords } from '../../i18n/action-words.ts'
import { formatDate } from '../../i18n/format.ts'
import { IconArrowBackUp, IconCoins, IconMedal, IconPlus, IconTicket } from '../../ui/icons.ts'
import { Parts } from '../../ui/nowrap.tsx'
import { Section } from '../../ui/section.tsx'
import type { Sale } from './lines.tsx'
import { useWords } from './use-words.ts'

const icons: Record<string, typeof IconPlus> = {
  collect: IconPlus,
  spend_points: IconCoins,
  redeem_coupon: IconTicket,
  grant_coupon: IconTicket,
  change_tier: IconMedal,
}

/** What the basket did and why, in order. */
export function Happened({ sale }: { readonly sale: Sale }) {
  const { t } = useTranslation('transactions')
  const { timezone } = useSession().organization
  const words = useWords(sale)
  const { program, ruleName } = words
  const { actions, skipped, progress, collectables, coupons } = sale.executedActions
  const ranOn = sale.campaigns.map(({ id }) => id)
  return (
    <Section title={t('happened.title')}>
      {actions.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('happened.nothing')}
        </Text>
      )}
      <List spacing="xs" size="sm" center listStyleType="none" styles={{ itemLabel: { lineHeight: 1.45 } }}>
        {actions.map((action, i) => {
          const Icon = icons[action.type] ?? IconArrowBackUp
          return (
            <List.Item
              key={i}
              icon={
                <ThemeIcon size={24} radius="xl" variant="light">
                  <Icon size={14} />
                </ThemeIcon>
              }
            >
              {actionWords(words, action)}
            </List.Item>
          )
        })}
      </List>
      {coupons.length > 0 && (
        <Part title={t('happened.coupons')}>
          {coupons.map(({ id, reward, expiresAt }) => (
            <Text size="sm" key={id}>
              {expiresAt
                ? t('happened.couponUntil', { coupon: reward.name, date: formatDate(expiresAt, timezone) })
                : reward.name}
            </Text>
          ))}
        </Part>
      )}
      {progress.length > 0 && (
        <Part title={t('happened.progress')}>
          {progress.map(({ key, have, need, reward }) => {
            const text = program.progress(key, { have, need, reward: program.rewardName(reward, ranOn) })
            return (
              <Stack gap={6} pb={6} key={`${key} ${reward} ${need}`}>
                <Text size="sm">{text}</Text>
                <Progress value={Math.min(100, (have / need) * 100)} aria-label={text} />
              </Stack>
            )
          })}
        </Part>
      )}
      {skipped.length > 0 && (
        <Part title={t('happened.skipped')}>
          {skipped.map(({ campaign, rule, reason }) => (
            <Text size="sm" key={`${campaign} ${rule}`}>
              {t('happened.rule', {
                rule: ruleName(campaign, rule),
                campaign: program.campaignName(campaign),
              })}{' '}
              <Text span inherit c="dimmed">
                {skipWords(t, reason)}
              </Text>
            </Text>
          ))}
        </Part>
      )}
      {Object.keys(collectables).length > 0 && (
        <Part title={t('happened.after')}>
          <Text size="sm">
            <Parts
              texts={program.amounts(
                Object.fromEntries(Object.entries(collectables).map(([key, { value }]) => [key, value])),
              )}
            />
          </Text>
        </Part>
      )}
    </Section>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Stack gap={6}>
      <Title order={3} size="sm" c="dimmed" fw={600}>
        {title}
      </Title>
      {children}
    </Stack>
  )
}
