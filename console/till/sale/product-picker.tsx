import { Button, Chip, Group, Stack, Text, TextInput, Title, UnstyledButton } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { Failure } from '../../ui/failure.tsx'
import { IconPlus, IconSearch } from '../../ui/icons.ts'
import { Waiting } from '../../ui/waiting.tsx'
import { useReached } from '../offline/reach.ts'
import { readOrRecall } from '../offline/remembered.ts'
import { places, useMoney, useTillContext } from '../shell/till-context.ts'
import type { Product } from './sale.ts'

const mostPages = 10

interface Products {
  readonly list: readonly Product[]
  /** Whether the list holds all products of the directory. */
  readonly isAll: boolean
}

async function readProducts(q: string | undefined, signal: AbortSignal): Promise<Products> {
  const list: Product[] = []
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const query = { q, cursor, limit: 100 }
    const answer = await dataOf(api.GET('/v1/till/products', { params: { query }, signal }))
    list.push(...answer.data)
    cursor = answer.nextCursor
    if (cursor === undefined) return { list, isAll: true }
  }
  return { list, isAll: false }
}

/** Loads the directory once and searches it here; the service searches one that is too large. */
export function useProducts(text: string) {
  const { id: organization } = useTillContext().session.organization
  const all = useQuery({
    queryKey: ['products', ''],
    queryFn: ({ signal }) => readOrRecall(organization, 'products', () => readProducts(undefined, signal)),
    staleTime: 5 * 60_000,
  })
  const [asked] = useDebouncedValue(text.trim(), 200)
  const isReached = useReached()
  const isTooLarge = all.data?.isAll === false && asked !== '' && isReached
  const found = useQuery({
    queryKey: ['products', asked],
    queryFn: ({ signal }) => readProducts(asked, signal),
    enabled: isTooLarge,
  })
  const words = text.trim().toLowerCase()
  const fits = ({ opaqueId, name, category }: Product) =>
    [opaqueId, name, category].some((item) => item?.toLowerCase().includes(words))
  const list = isTooLarge ? (found.data?.list ?? []) : (all.data?.list ?? []).filter(fits)
  // Products that start with the typed text come first: Enter adds the first one.
  const begins = ({ opaqueId, name }: Product) =>
    [opaqueId, name].some((item) => item?.toLowerCase().startsWith(words))
  const best = list.find(begins) ?? list[0]
  const failed = [all, found].find((item) => item.error)
  return {
    list,
    best,
    all: all.data?.list ?? [],
    error: failed?.error,
    retry: () => failed?.refetch(),
    isPending: all.isPending,
  }
}

interface ProductPickerProps {
  readonly onPick: (product: Product) => void
  readonly onCustomItem: () => void
}

export function ProductPicker({ onPick, onCustomItem }: ProductPickerProps) {
  const { t } = useTranslation('till')
  const money = useMoney()
  const [text, setText] = useState('')
  const [category, setCategory] = useState<string>()
  const { list, best, all, error, retry, isPending } = useProducts(text)
  const categoryOf = (product: Product) => product.category ?? t('products.other')
  const categories = [...new Set(all.map(categoryOf))]
  const shown = list.filter((product) => category === undefined || categoryOf(product) === category)
  const groups = categories
    .map((name) => ({ name, products: shown.filter((product) => categoryOf(product) === name) }))
    .filter(({ products }) => products.length > 0)

  const pickFirst = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !text.trim() || !best) return
    event.preventDefault()
    onPick(best)
    setText('')
  }
  return (
    <Stack gap="sm" className="till-fills">
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          id={places.products}
          label={t('products.search')}
          flex={1}
          miw={0}
          leftSection={<IconSearch size={18} />}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={pickFirst}
          autoComplete="off"
        />
        <Button variant="default" leftSection={<IconPlus size={18} />} onClick={onCustomItem}>
          {t('products.custom')}
        </Button>
      </Group>
      {categories.length > 1 && (
        <Chip.Group value={category ?? ''} onChange={(name) => setCategory(String(name) || undefined)}>
          <Group
            gap={6}
            wrap="nowrap"
            className="till-strip"
            role="radiogroup"
            aria-label={t('products.category')}
          >
            {/* A shared name makes the radio buttons a single tab stop. */}
            <Chip value="" name="till-category" variant="light">
              {t('products.all')}
            </Chip>
            {categories.map((name) => (
              <Chip key={name} value={name} name="till-category" variant="light">
                {name}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
      )}
      {error && <Failure error={error} onRetry={retry} />}
      {isPending && <Waiting />}
      {!isPending && shown.length === 0 && (
        <Text c="dimmed" py="md">
          {all.length === 0 ? t('products.none') : t('products.noMatches')}
        </Text>
      )}
      <div className="till-scrolls">
        {groups.map(({ name, products }) => (
          <section key={name} aria-label={name}>
            {categories.length > 1 && (
              <Title order={3} size="h6" c="dimmed" mb={6}>
                {name}
              </Title>
            )}
            <div className="till-products">
              {products.map((product) => (
                <UnstyledButton
                  key={product.opaqueId}
                  className="till-product"
                  onClick={() => onPick(product)}
                >
                  <span>{product.name ?? product.opaqueId}</span>
                  <Text span size="sm" c="dimmed" className="lw-tabular">
                    {product.price === undefined ? t('products.askPrice') : money(product.price)}
                  </Text>
                </UnstyledButton>
              ))}
            </div>
          </section>
        ))}
      </div>
    </Stack>
  )
}
