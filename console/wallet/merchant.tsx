import { useTranslation } from 'react-i18next'
import type { WalletCard } from './use-card.ts'

/** How the merchant can be reached, and where its terms are. */
export function Merchant({ card: { organization } }: { readonly card: WalletCard }) {
  const { t } = useTranslation('wallet')
  // A card that this phone kept before the service knew the merchant's contact has none.
  const { address, openingHours, phone, email, website, termsUrl, privacyUrl } = organization.contact ?? {}
  const links = [
    [t('merchant.website'), website],
    [t('merchant.terms'), termsUrl],
    [t('merchant.privacy'), privacyUrl],
  ].filter((link): link is [string, string] => link[1] !== undefined)
  if (links.length === 0 && !address && !openingHours && !phone && !email) return null
  return (
    <section className="merchant-contact">
      <h2>
        <bdi>{organization.name}</bdi>
      </h2>
      {address && (
        <p className="lines">
          <bdi>{address}</bdi>
        </p>
      )}
      {openingHours && (
        <>
          <h3>{t('merchant.openingHours')}</h3>
          <p className="lines">
            <bdi>{openingHours}</bdi>
          </p>
        </>
      )}
      {(phone || email) && (
        <p className="links">
          {phone && (
            <a href={`tel:${phone.replace(/[^+\d]/g, '')}`} dir="ltr">
              {phone}
            </a>
          )}
          {email && (
            <a href={`mailto:${encodeURIComponent(email).replace('%40', '@')}`} dir="ltr">
              {email}
            </a>
          )}
        </p>
      )}
      {links.length > 0 && (
        <p className="links">
          {links.map(([name, url]) => (
            <a key={name} href={url} target="_blank" rel="noopener noreferrer">
              {name}
            </a>
          ))}
        </p>
      )}
    </section>
  )
}
