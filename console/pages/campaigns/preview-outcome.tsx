import { Group, List, Progress, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Action } from '../../api/action.ts'
import type { Schemas } from '../../api/client.ts'
import { type Definition, itemsOf, namesIn, type Shapes } from '../../forms/definition.ts'
import { useForm, useSchemaTexts } from '../../forms/form-context.ts'
import { ruleWords } from '../../forms/rule-words.ts'
import { skipWords } from '../../i18n/action-words.ts'
import { changeWords, type NamedBalance, progressWords } from '../../i18n/balance-words.ts'
import { formatDate, formatMoney, formatNumber } from '../../i18n/format.ts'
import { IconCoins, IconCrown, IconMinus, IconPlus, IconTicket } from '../../ui/icons.ts'

interface PreviewOutcomeProps {
  readonly outcome: Schemas['Outcome']
  readonly definition: Definition
  readonly shapes: Shapes
}

/** What the basket would do, and why the other rules would not apply. */
export function PreviewOutcome({ outcome, definition, shapes }: PreviewOutcomeProps) {
  const { t } = useTranslation('campaigns')
  const { t: ofSales } = useTranslation('transactions')
  const { currency } = useForm()
  const { actions, skipped, progress, collectables, coupons } = outcome.executedActions
  const names = useNaming(definition, shapes)
  return (
    <Stack gap="md">
      <Group gap="xl">
        <Fact label={t('preview.payable')} value={formatMoney(outcome.payableAmount, currency)} />
        {outcome.pointsSpent > 0 && (
          <Fact label={t('preview.paidWithPoints')} value={formatMoney(outcome.pointsDiscount, currency)} />
        )}
        {Object.entries(collectables).map(([key, { value }]) => (
          <Fact
            key={key}
            label={t('preview.after', { name: names.balance(key).name })}
            value={formatNumber(value, names.balance(key).decimals)}
          />
        ))}
      </Group>
      {actions.length === 0 ? (
        <Text>{t('preview.nothing')}</Text>
      ) : (
        <List listStyleType="none" spacing="xs">
          {actions.map((action, i) => (
            <List.Item key={i} icon={<ActionSign type={action.type} />}>
              <ActionText action={action} names={names} coupons={coupons} />
            </List.Item>
          ))}
        </List>
      )}
      {progress.map(({ key, have, need, reward }) => (
        <div key={`${key} ${reward}`}>
          <Text size="sm">
            {progressWords(names.balance(key), { have, need, reward: names.of('rewards', reward) })}
          </Text>
          <Progress value={need > 0 ? (100 * Math.min(have, need)) / need : 0} mt={4} aria-hidden />
        </div>
      ))}
      {skipped.length > 0 && (
        <div>
          <Title order={3} size="sm" mb={4}>
            {t('preview.skipped')}
          </Title>
          <List size="sm" listStyleType="none" spacing={4}>
            {skipped.map(({ rule, reason }) => (
              <List.Item key={rule}>
                <Text span inherit>
                  {names.rule(rule)}
                </Text>{' '}
                <Text span inherit c="dimmed">
                  {skipWords(ofSales, reason)}
                </Text>
              </List.Item>
            ))}
          </List>
        </div>
      )}
    </Stack>
  )
}

function Fact({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text fw={650} size="lg" className="lw-tabular">
        {value}
      </Text>
    </div>
  )
}

interface Naming {
  readonly of: (list: 'rewards' | 'tiers', key: string | undefined) => string
  readonly rule: (id: string | undefined) => string
  readonly balance: (key: string | undefined) => NamedBalance
}

function useNaming(definition: Definition, shapes: Shapes): Naming {
  const text = useSchemaTexts()
  return {
    of: (list, key = '') => namesIn(definition, list).find(({ value }) => value === key)?.label ?? key,
    rule: (id = '') => ruleWords(definition, id, shapes, text),
    balance: (key = '') => {
      const { name, decimals } = itemsOf(definition, 'balances').find((item) => item.key === key) ?? {}
      return {
        name: typeof name === 'string' ? name : key,
        decimals: typeof decimals === 'number' ? decimals : undefined,
      }
    },
  }
}

const signs = {
  collect: IconPlus,
  spend_points: IconMinus,
  grant_coupon: IconTicket,
  change_tier: IconCrown,
} as const

function ActionSign({ type }: { readonly type: string }) {
  const Icon = type in signs ? signs[type as keyof typeof signs] : IconCoins
  return (
    <ThemeIcon variant="light" size={24} radius="xl">
      <Icon size={14} />
    </ThemeIcon>
  )
}

interface ActionTextProps {
  readonly action: Action
  readonly names: Naming
  readonly coupons: Schemas['PreviewedActions']['coupons']
}

function ActionText({ action, names, coupons }: ActionTextProps) {
  const { t } = useTranslation('campaigns')
  const { currency, timeZone } = useForm()
  const { type, key, amount = 0, reward, rule, tier, discount = 0 } = action
  const expiresAt = coupons.find((coupon) => coupon.reward.key === reward)?.expiresAt
  const values = {
    change: changeWords(names.balance(key), type === 'collect' ? amount : -amount),
    reward: names.of('rewards', reward),
    tier: names.of('tiers', tier),
    discount: formatMoney(discount, currency),
    day: expiresAt && formatDate(expiresAt, timeZone),
  }
  const notes = [
    type === 'collect' && names.rule(rule),
    type === 'grant_coupon' && amount > 0 && t('action.couponCosts', values),
    type === 'grant_coupon' && expiresAt && t('action.couponUntil', values),
  ].filter(Boolean)
  return (
    <>
      <Text span fw={550}>
        {t(`action.${type}`, { ...values, defaultValue: type })}
      </Text>{' '}
      <Text span size="sm" c="dimmed">
        {notes.join(' · ')}
      </Text>
    </>
  )
}
