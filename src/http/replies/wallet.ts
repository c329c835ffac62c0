/** Renders a wallet page as an API response: with masked addresses, and no more than the first name. */
import { plainColor } from '../../domain/color.ts'
import { cardStatus } from '../../domain/customer.ts'
import { maskAddress } from '../../domain/mask-address.ts'
import { fromUnits } from '../../domain/money.ts'
import { modeOf } from '../../domain/organization.ts'
import type { WalletKind } from '../../domain/wallet-pass.ts'
import type { OpenWallet, WalletPage } from '../../operations/wallet-page/open-wallet.ts'
import { toCursor } from '../requests/paging.ts'
import { toVisitReply } from './visits.ts'

/** Color of the page, of its splash screen and of its icon. */
export const colorOf = ({ color = plainColor }: OpenWallet['organization']): string => color

export function toWalletReply(page: WalletPage, passes: readonly WalletKind[], now: Date) {
  const { organization, card, view, progress, balanceNames, otherCampaigns } = page
  const { name, logo, locale, currency, timezone, contact } = organization
  const decimals = new Map(view.balances.map((balance) => [balance.key, balance.decimals]))
  const units = (key: string, amount: number) => fromUnits(amount, decimals.get(key) ?? 0)
  return {
    organization: {
      name,
      color: colorOf(organization),
      logo,
      locale,
      currency,
      timezone,
      contact,
      mode: modeOf(organization),
    },
    card: {
      barcode: card.status === cardStatus.blocked ? undefined : card.barcode,
      status: card.status,
      awaitsApproval: card.awaitsApproval ? (true as const) : undefined,
      campaignName: card.campaignName,
    },
    firstName: view.customer.fullname?.trim().split(/\s+/, 1)[0] || undefined,
    language: view.customer.language,
    balances: sortBalances(page).map(({ key, value, decimals, total }) => ({
      key,
      name: balanceNames.get(key) ?? key,
      value: units(key, value),
      decimals,
      total: units(key, total),
      otherCampaign: otherCampaigns.get(key),
    })),
    progress: progress.map(({ key, have, need, rewardName }) => ({
      key,
      have: units(key, have),
      need: units(key, need),
      rewardName,
    })),
    coupons: toCoupons(page),
    expiring: view.expiring.map(({ key, amount, at }) => ({
      key,
      amount: units(key, amount),
      at: at.toISOString(),
    })),
    tiers: view.tiers.map(({ campaign, key, name }) => ({ campaign, key, name })),
    spend: toSpend(page),
    visits: page.visits.map((visit) => toVisitReply(visit, page)),
    moreVisits: page.hasMoreVisits ? toCursor(page.visits.at(-1)!.id) : undefined,
    ...toAddresses(page),
    // A blocked card has nothing to take along.
    passes: card.status === cardStatus.blocked ? [] : [...passes],
    updatedAt: now.toISOString(),
  }
}

function toCoupons({ view, productNames, campaignNames, card }: WalletPage) {
  return view.coupons.map(({ id, reward, expiresAt, campaign }) => ({
    id,
    name: reward.name,
    kind: reward.kind,
    products:
      reward.kind === 'free_product'
        ? reward.products.map((product) => productNames.get(product) ?? product)
        : undefined,
    expiresAt: expiresAt?.toISOString(),
    campaignName: campaignNames.get(campaign) ?? card.campaignName,
  }))
}

function toSpend({ spend }: WalletPage) {
  return (
    spend && {
      key: spend.key,
      worth: fromUnits(spend.worthMillionths, 6),
      least: spend.min > 0 ? fromUnits(spend.min, spend.decimals) : undefined,
    }
  )
}

function toAddresses({ contacts, unconfirmed }: WalletPage) {
  return {
    contacts: contacts.map(({ channel, address, isVerified, canReceive }) => ({
      channel,
      address: maskAddress(channel, address),
      isVerified,
      canReceive,
    })),
    unconfirmed: unconfirmed.map(({ channel, address }) => ({
      channel,
      address: maskAddress(channel, address),
    })),
  }
}

/** Balances of the card's campaign come first, in its order, then those of other campaigns. */
function sortBalances({ view, ownBalances }: WalletPage) {
  const place = (key: string) => (ownBalances.includes(key) ? ownBalances.indexOf(key) : ownBalances.length)
  return view.balances.toSorted((a, b) => place(a.key) - place(b.key))
}

/** Web app manifest, to install the page on a phone. */
export function toManifest({ organization, card }: OpenWallet, path: string) {
  return {
    name: `${organization.name}: ${card.campaignName}`,
    short_name: organization.name,
    lang: organization.locale,
    start_url: path,
    scope: path,
    id: path,
    display: 'standalone',
    background_color: '#ffffff',
    theme_color: colorOf(organization),
    icons: [
      { src: `${path}/icon.svg`, sizes: 'any', type: 'image/svg+xml', purpose: 'any maskable' },
      ...[192, 512].map((size) => ({
        src: `/w/icon-${size}.png`,
        sizes: `${size}x${size}`,
        type: 'image/png',
        purpose: 'any maskable',
      })),
    ],
  }
}
