import { isLightColor, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../../api/client.ts'
import { brandColor } from '../../theme.ts'
import classes from './card-preview.module.css'
import { ContactPreview } from './contact-preview.tsx'

interface CardPreviewProps {
  readonly name: string
  readonly color: string
  readonly logo: string
  readonly contact: Schemas['OrganizationContact']
}

const isColor = (text: string) => /^#[0-9a-f]{6}$/i.test(text)

/** An approximation of the wallet page; the card's text is light or dark, whichever is readable. */
export function CardPreview({ name, color, logo, contact }: CardPreviewProps) {
  const { t } = useTranslation('settings')
  const background = isColor(color) ? color : brandColor
  return (
    <figure className={classes.preview}>
      <Text component="figcaption" size="sm" fw={500}>
        {t('organization.preview')}
      </Text>
      <div
        className={classes.card}
        style={{ background, color: isLightColor(background) ? '#16201e' : '#ffffff' }}
      >
        <div className={classes.head}>
          {logo.trim() && <img className={classes.logo} src={logo.trim()} alt="" />}
          <div>
            <div className={classes.merchant}>{name || '…'}</div>
            <div className={classes.campaign}>{t('organization.previewCampaign')}</div>
          </div>
        </div>
        <div className={classes.code}>
          <div className={classes.bars} />
          <div dir="ltr">2712 3456 7890</div>
        </div>
      </div>
      <ContactPreview contact={contact} />
    </figure>
  )
}
