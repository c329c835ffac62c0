import { Button, ColorInput, Group, Select, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { sessionQuery } from '../../api/session.ts'
import { brandColor } from '../../theme.ts'
import { Failure } from '../../ui/failure.tsx'
import { scrollingList } from '../../ui/lists/scrolling-list.ts'
import { Facts } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.ts'
import { CardPreview } from './card-preview.tsx'
import { countryName, currencyName, localeOptions, timeZoneOptions } from './choices.ts'
import { LogoField } from './logo-field.tsx'
import { SalesFields, type SalesValues } from './sales-fields.tsx'

type Organization = Schemas['Organization']

const swatches = [brandColor, '#0b7285', '#1864ab', '#5f3dc4', '#a61e4d', '#c92a2a', '#d9480f', '#2b2b2b']

export function OrganizationForm({ organization }: { readonly organization: Organization }) {
  const { t } = useTranslation('settings')
  const queries = useQueryClient()
  const [name, setName] = useState(organization.name)
  const [locale, setLocale] = useState(organization.locale)
  const [timezone, setTimezone] = useState(organization.timezone)
  const [color, setColor] = useState(organization.color ?? '')
  const [logo, setLogo] = useState(organization.logo ?? '')
  const [sales, setSales] = useState<SalesValues>(organization)
  const { mutate, isPending, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: () =>
      dataOf(
        api.PATCH('/v1/organization', {
          body: {
            name: name.trim(),
            locale,
            timezone,
            color: color || null,
            logo: logo.trim() || null,
            strictReferences: sales.strictReferences,
            maxBackdateDays: Number(sales.maxBackdateDays),
          },
        }),
      ),
    onSuccess: async (saved) => {
      queries.setQueryData(['organization'], saved)
      // The name is in the header of every page, and times depend on the time zone.
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey })
      toast.success(t('common:saved'))
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="lg">
        {error && <Failure error={error} />}
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
          <Stack gap="sm">
            <TextInput
              label={t('organization.name')}
              value={name}
              onChange={({ currentTarget: { value } }) => setName(value)}
              required
              maxLength={200}
            />
            <Select
              label={t('organization.locale')}
              description={t('organization.localeAbout')}
              data={localeOptions(organization.locale)}
              value={locale}
              onChange={(value) => value && setLocale(value)}
              searchable
              allowDeselect={false}
              {...scrollingList}
            />
            <Select
              label={t('organization.timezone')}
              description={t('organization.timezoneAbout')}
              data={timeZoneOptions(organization.timezone)}
              value={timezone}
              onChange={(value) => value && setTimezone(value)}
              searchable
              allowDeselect={false}
              {...scrollingList}
              limit={100}
              nothingFoundMessage={t('organization.noTimezone')}
            />
            <Facts
              facts={[
                { label: t('organization.country'), value: countryName(organization.country) },
                { label: t('organization.currency'), value: currencyName(organization.currency) },
              ]}
            />
          </Stack>
          <Stack gap="sm">
            <ColorInput
              label={t('organization.color')}
              description={t('organization.colorAbout')}
              placeholder={t('organization.noColor')}
              value={color}
              onChange={setColor}
              format="hex"
              // Correcting the color on blur would undo what was just typed; the service validates it.
              fixOnBlur={false}
              swatches={swatches}
              swatchesPerRow={8}
              eyeDropperButtonProps={{ 'aria-label': t('organization.eyeDropper') }}
            />
            <LogoField value={logo} onChange={setLogo} />
            <CardPreview name={name} color={color} logo={logo} contact={organization.contact} />
          </Stack>
        </SimpleGrid>
        <SalesFields value={sales} onChange={setSales} />
        <Group>
          <Button type="submit" loading={isPending}>
            {t('common:save')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
