import { ActionIcon, Button, Collapse, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useTranslation } from 'react-i18next'
import { useSession } from '../../api/session.ts'
import { type Definition, isItem, namesIn } from '../../forms/definition.ts'
import { NameField } from '../../forms/names-field.tsx'
import { NumberField } from '../../forms/number-field.tsx'
import { IconChevronDown, IconPlus, IconX } from '../../ui/icons.ts'
import { CustomerPicker } from './customer-picker.tsx'

export interface TriedLine {
  readonly product?: string
  readonly quantity?: number
  readonly unitPrice?: number
}

export interface TriedBasket {
  readonly lines: readonly TriedLine[]
  /** Time of the purchase in the organization's local time; defaults to now. */
  readonly at?: string
  readonly branch?: string
  readonly balances: Readonly<Record<string, number | undefined>>
  /** Lifetime total of a real customer; defaults to the balance. */
  readonly totals?: Readonly<Record<string, number>>
  /** Number of earlier purchases. */
  readonly visits?: number
  readonly pointsToSpend?: number
}

interface PreviewBasketProps {
  readonly definition: Definition
  readonly basket: TriedBasket
  readonly onChange: (basket: TriedBasket) => void
}

export function PreviewBasket({ definition, basket, onChange }: PreviewBasketProps) {
  const { t } = useTranslation('campaigns')
  const [isOpen, { toggle }] = useDisclosure(false)
  const set = (changes: Partial<TriedBasket>) => onChange({ ...basket, ...changes })
  const setLine = (index: number, changes: TriedLine) =>
    set({ lines: basket.lines.map((line, i) => (i === index ? { ...line, ...changes } : line)) })
  return (
    <Stack gap="sm">
      {basket.lines.map((line, index) => (
        <Line
          key={index}
          line={line}
          number={index + 1}
          onChange={(changes) => setLine(index, changes)}
          onRemove={() => set({ lines: basket.lines.filter((_, i) => i !== index) })}
        />
      ))}
      <Group justify="space-between" gap="xs">
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<IconPlus size={14} />}
          onClick={() => set({ lines: [...basket.lines, { quantity: 1 }] })}
        >
          {t('preview.addLine')}
        </Button>
        <Button
          variant="subtle"
          size="compact-sm"
          rightSection={
            <IconChevronDown size={14} style={{ transform: isOpen ? 'rotate(180deg)' : undefined }} />
          }
          onClick={toggle}
          aria-expanded={isOpen}
        >
          {t('preview.circumstances')}
        </Button>
      </Group>
      <Collapse expanded={isOpen}>
        <Circumstances definition={definition} basket={basket} set={set} />
      </Collapse>
    </Stack>
  )
}

interface LineProps {
  readonly line: TriedLine
  readonly number: number
  readonly onChange: (changes: TriedLine) => void
  readonly onRemove: () => void
}

function Line({ line, number, onChange, onRemove }: LineProps) {
  const { t } = useTranslation('campaigns')
  const { currency } = useSession().organization
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap">
      <div style={{ flex: 1, minWidth: 0 }}>
        <NameField
          label={t('preview.product')}
          placeholder={t('preview.anyProduct')}
          list="products"
          value={line.product}
          onChange={(product, known) =>
            onChange({ product, ...(known?.price !== undefined && { unitPrice: known.price }) })
          }
        />
      </div>
      <NumberField
        label={t('preview.quantity')}
        w={76}
        value={line.quantity}
        onChange={(quantity) => onChange({ quantity })}
        allowNegative={false}
      />
      <NumberField
        label={t('preview.price')}
        placeholder={currency}
        w={84}
        value={line.unitPrice}
        onChange={(unitPrice) => onChange({ unitPrice })}
        allowNegative={false}
      />
      <ActionIcon
        variant="subtle"
        color="gray"
        mb={4}
        onClick={onRemove}
        aria-label={t('preview.removeLine', { number })}
      >
        <IconX size={16} />
      </ActionIcon>
    </Group>
  )
}

interface CircumstancesProps {
  readonly definition: Definition
  readonly basket: TriedBasket
  readonly set: (changes: Partial<TriedBasket>) => void
}

/** Time, branch and customer of the purchase. */
function Circumstances({ definition, basket, set }: CircumstancesProps) {
  const { t } = useTranslation('campaigns')
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="sm">
        <TextInput
          type="datetime-local"
          label={t('preview.at')}
          description={t('preview.atAbout')}
          value={basket.at ?? ''}
          onChange={({ currentTarget }) => set({ at: currentTarget.value || undefined })}
        />
        <NameField
          label={t('preview.branch')}
          description={t('preview.branchAbout')}
          list="branches"
          value={basket.branch}
          onChange={(branch) => set({ branch })}
        />
      </SimpleGrid>
      <Text size="sm" fw={550}>
        {t('preview.wallet')}
      </Text>
      <CustomerPicker onPick={set} />
      <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="sm" verticalSpacing="sm" style={{ alignItems: 'end' }}>
        {namesIn(definition, 'balances').map(({ value, label }) => (
          <NumberField
            key={value}
            label={label}
            placeholder="0"
            value={basket.balances[value]}
            onChange={(next) => set({ balances: { ...basket.balances, [value]: next }, totals: undefined })}
          />
        ))}
        <NumberField
          label={t('preview.visits')}
          placeholder="0"
          value={basket.visits}
          onChange={(visits) => set({ visits })}
          allowDecimal={false}
          allowNegative={false}
        />
        {isItem(definition.spend) && (
          <NumberField
            label={t('preview.pointsToSpend')}
            placeholder="0"
            value={basket.pointsToSpend}
            onChange={(pointsToSpend) => set({ pointsToSpend })}
            allowNegative={false}
          />
        )}
      </SimpleGrid>
    </Stack>
  )
}
