import { Button, Group, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../../api/client.ts'
import { languageOf, languages, textsIn } from '../../../i18n/languages.ts'
import { brandColor } from '../../../theme.ts'
import { Failure } from '../../../ui/failure.tsx'
import { IconDownload } from '../../../ui/icons.ts'
import { Waiting } from '../../../ui/waiting.tsx'
import classes from '../enrollment.module.css'
import { drawPoster, type PosterContent } from './draw-poster.ts'
import { type PosterFormat, posterFormats } from './formats.ts'
import { toPdf } from './pdf.ts'

interface PosterProps {
  readonly campaignName: string
  readonly url: string
}

/** Something to print, in the merchant's color and language. */
export default function Poster({ campaignName, url }: PosterProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['organization', 'poster'],
    queryFn: async () => {
      const organization = await dataOf(api.GET('/v1/organization'))
      const language = languageOf(organization.locale) ?? 'en'
      const words = await textsIn(language, 'campaigns')
      return { organization, language, words, logo: await loadLogo(organization.logo) }
    },
  })
  if (error) return <Failure error={error} onRetry={refetch} />
  if (!data) return <Waiting />
  const { organization, language, words, logo } = data
  const start = {
    headline: words('enrollment.poster.words.headline', { campaign: campaignName }),
    action: words('enrollment.poster.words.action'),
  }
  const base = {
    merchant: organization.name,
    color: organization.color ?? brandColor,
    logo: logo === 'unusable' ? undefined : logo,
    dir: languages[language].dir,
    language,
    url,
  }
  return <PosterForm base={base} start={start} hasNoLogo={logo === 'unusable'} />
}

/**
 * A logo from another site that does not allow it cannot be drawn: the browser would refuse to hand out the pixels.
 */
async function loadLogo(
  source: Schemas['Organization']['logo'],
): Promise<HTMLImageElement | 'unusable' | undefined> {
  if (!source) return undefined
  const image = new Image()
  image.crossOrigin = 'anonymous'
  image.src = source
  return image.decode().then(
    () => image,
    () => 'unusable',
  )
}

interface PosterChoice extends Pick<PosterContent, 'headline' | 'action'> {
  readonly format: PosterFormat
}

interface PosterFormProps {
  readonly base: Omit<PosterContent, 'headline' | 'action'>
  readonly start: Pick<PosterContent, 'headline' | 'action'>
  readonly hasNoLogo: boolean
}

function PosterForm({ base, start, hasNoLogo }: PosterFormProps) {
  const { t } = useTranslation('campaigns')
  const [poster, setPoster] = useState<PosterChoice>({ format: 'a4', ...start })
  const shown = useDeferredValue(poster)
  const preview = usePreview(shown.format, { ...base, ...shown })
  const { mutate, isPending, isError } = useMutation({
    mutationFn: () => download(poster.format, { ...base, ...poster }),
    meta: { isShownInPlace: true },
  })
  return (
    <div className={classes.poster}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {t('enrollment.poster.about')}
        </Text>
        <PosterFields value={poster} onChange={(changes) => setPoster({ ...poster, ...changes })} />
        {hasNoLogo && (
          <Text size="sm" c="dimmed">
            {t('enrollment.poster.noLogo')}
          </Text>
        )}
        {isError && (
          <Text size="sm" c="red" role="alert">
            {t('enrollment.poster.failed')}
          </Text>
        )}
        <Group>
          <Button leftSection={<IconDownload size={16} />} onClick={() => mutate()} loading={isPending}>
            {t('enrollment.poster.download')}
          </Button>
        </Group>
      </Stack>
      <canvas
        ref={preview}
        className={classes.preview}
        role="img"
        aria-label={t('enrollment.poster.preview')}
      />
    </div>
  )
}

interface PosterFieldsProps {
  readonly value: PosterChoice
  readonly onChange: (changes: Partial<PosterChoice>) => void
}

function PosterFields({ value: { format, headline, action }, onChange }: PosterFieldsProps) {
  const { t } = useTranslation('campaigns')
  return (
    <>
      <Select
        label={t('enrollment.poster.format')}
        data={Object.keys(posterFormats).map((value) => ({
          value,
          label: t(`enrollment.poster.formats.${value}`),
        }))}
        value={format}
        allowDeselect={false}
        onChange={(value) => onChange({ format: value as PosterFormat })}
      />
      <TextInput
        label={t('enrollment.poster.headline')}
        value={headline}
        maxLength={80}
        dir="auto"
        onChange={({ currentTarget }) => onChange({ headline: currentTarget.value })}
      />
      <Textarea
        label={t('enrollment.poster.action')}
        value={action}
        maxLength={140}
        autosize
        minRows={2}
        dir="auto"
        onChange={({ currentTarget }) => onChange({ action: currentTarget.value })}
      />
    </>
  )
}

const previewWidth = 480

/** The poster itself, scaled down. */
function usePreview(format: PosterFormat, content: PosterContent) {
  const ref = useRef<HTMLCanvasElement>(null)
  const key = JSON.stringify([format, content.headline, content.action, content.url, content.color])
  // The content is a new object each time: what is written on it decides.
  useEffect(() => {
    const canvas = ref.current
    if (!canvas) return
    const poster = drawPoster(format, content)
    canvas.width = previewWidth
    canvas.height = Math.round((previewWidth * poster.height) / poster.width)
    const brush = canvas.getContext('2d')!
    brush.imageSmoothingQuality = 'high'
    brush.drawImage(poster, 0, 0, canvas.width, canvas.height)
  }, [key])
  return ref
}

async function download(format: PosterFormat, content: PosterContent): Promise<void> {
  const { width, height, ...canvas } = pixelsOf(drawPoster(format, content))
  const pdf = await toPdf({ ...posterFormats[format], ...canvas, title: content.headline, width, height })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(pdf)
  link.download = `${new URL(content.url).pathname.split('/').at(-1)}-${format}.pdf`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

function pixelsOf(canvas: HTMLCanvasElement) {
  const { width, height } = canvas
  return { width, height, rgba: canvas.getContext('2d')!.getImageData(0, 0, width, height).data }
}
