import { Button, Group, Menu, SimpleGrid, Stack, Text, ThemeIcon, UnstyledButton } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { IconBraces, IconCashRegister, IconPlus, IconShoppingBag } from '../../ui/icons.ts'
import classes from './kinds.module.css'
import type { SourceKind } from './requests.ts'
import { sourceKinds } from './source.ts'

const icons = {
  square: IconCashRegister,
  shopify: IconShoppingBag,
  json: IconBraces,
} as const satisfies Record<SourceKind, typeof IconBraces>

export function KindIcon({ kind, size = 16 }: { readonly kind: SourceKind; readonly size?: number }) {
  const Icon = icons[kind]
  return <Icon size={size} />
}

interface KindChoiceProps {
  readonly onChoose: (kind: SourceKind) => void
}

/** Button that asks for the kind of the new source. */
export function AddSource({ onChoose }: KindChoiceProps) {
  const { t } = useTranslation('sources')
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <Button leftSection={<IconPlus size={16} />}>{t('add')}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {sourceKinds.map((kind) => (
          <Menu.Item key={kind} leftSection={<KindIcon kind={kind} />} onClick={() => onChoose(kind)}>
            {t(`kind.${kind}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

/** The kinds to begin with, for somebody who has no source yet. */
export function KindCards({ onChoose }: KindChoiceProps) {
  const { t } = useTranslation('sources')
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm" mt="md" w="100%" maw={820}>
      {sourceKinds.map((kind) => (
        <UnstyledButton key={kind} className={`lw-surface ${classes.card}`} onClick={() => onChoose(kind)}>
          <Stack gap={6}>
            <Group gap="xs" wrap="nowrap">
              <ThemeIcon variant="light" size={32} radius="md">
                <KindIcon kind={kind} size={18} />
              </ThemeIcon>
              <Text fw={600}>{t(`kind.${kind}`)}</Text>
            </Group>
            <Text size="sm" c="dimmed">
              {t(`kindAbout.${kind}`)}
            </Text>
          </Stack>
        </UnstyledButton>
      ))}
    </SimpleGrid>
  )
}
