/** A wallet page in the words of the wire. It names no phone, no e-mail and no more than the first name. */
import { fromMinor, fromUnits } from '../../domain/money.ts'
import { type Transaction, transactionStatus } from '../../domain/transaction.ts'
import type { OpenWallet, WalletPage } from '../../operations/open-wallet.ts'

export function toWalletReply(page: WalletPage, now: Date) {
  const { organization, card, view, progress, campaignNames, balanceNames, productNames } = page
  const { name, color, logo, locale, currency, timezone } = organization
  const decimals = new Map(view.balances.map((balance) => [balance.key, balance.decimals]))
  const units = (key: string, amount: number) => fromUnits(amount, decimals.get(key) ?? 0)
  return {
    organization: { name, color, logo, locale, currency, timezone },
    card: { barcode: card.barcode, status: card.status, campaignName: card.campaignName },
    firstName: view.customer.fullname?.trim().split(/\s+/, 1)[0] || undefined,
    balances: view.balances.map((balance) => ({
      key: balance.key,
      name: balanceNames.get(balance.key) ?? balance.key,
      value: units(balance.key, balance.value),
      decimals: balance.decimals,
      total: units(balance.key, balance.total),
    })),
    progress: progress.map(({ key, have, need, rewardName }) => ({
      key,
      have: units(key, have),
      need: units(key, need),
      rewardName,
    })),
    coupons: view.coupons.map(({ id, reward, expiresAt, campaign }) => ({
      id,
      name: reward.name,
      kind: reward.kind,
      products:
        reward.kind === 'free_product'
          ? reward.products.map((product) => productNames.get(product) ?? product)
          : undefined,
      expiresAt: expiresAt?.toISOString(),
      campaignName: campaignNames.get(campaign) ?? card.campaignName,
    })),
    expiring: view.expiring.map(({ key, amount, at }) => ({
      key,
      amount: units(key, amount),
      at: at.toISOString(),
    })),
    visits: page.visits.map((visit) => toVisitReply(visit, page)),
    updatedAt: now.toISOString(),
  }
}

function toVisitReply({ occurredAt, status, branch, result }: Transaction, page: WalletPage) {
  const moved = (kind: 'collect' | 'spend_points') => {
    const sums = new Map<string, number>()
    for (const action of result.actions) {
      if (action.kind !== kind) continue
      const { key, amount } = action.movement
      sums.set(key, (sums.get(key) ?? 0) + Math.abs(amount))
    }
    const decimals = (key: string) => result.balances.find((balance) => balance.key === key)?.decimals ?? 0
    return Object.fromEntries([...sums].map(([key, amount]) => [key, fromUnits(amount, decimals(key))]))
  }
  const spent = moved('spend_points')
  return {
    at: occurredAt.toISOString(),
    amount: fromMinor(result.payableMinor, page.organization.currencyDecimals),
    collected: moved('collect'),
    spent: Object.keys(spent).length > 0 ? spent : undefined,
    branchName: page.branchNames.get(branch),
    isReturned: status === transactionStatus.returned ? (true as const) : undefined,
  }
}

const plainColor = '#0b6e63'

/** What a phone needs to put the page among its apps. */
export function toManifest({ organization, card }: OpenWallet, path: string) {
  const color = organization.color ?? plainColor
  return {
    name: `${organization.name}: ${card.campaignName}`,
    short_name: organization.name,
    lang: organization.locale,
    start_url: path,
    scope: path,
    id: path,
    display: 'standalone',
    background_color: '#ffffff',
    theme_color: color,
    icons: [{ src: `${path}/icon.svg`, sizes: 'any', type: 'image/svg+xml', purpose: 'any maskable' }],
  }
}

/** The first letter of the organization on its color. */
export function toIcon({ organization }: OpenWallet): string {
  const color = organization.color ?? plainColor
  const letter = [...organization.name.trim()][0] ?? '•'
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512">' +
    `<rect width="512" height="512" fill="${color}"/>` +
    '<text x="256" y="256" dy=".35em" text-anchor="middle" font-family="system-ui, sans-serif" font-size="240" ' +
    `font-weight="700" fill="${isLight(color) ? '#000000' : '#ffffff'}">${escapeXml(letter)}</text></svg>`
  )
}

function isLight(color: string): boolean {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  return red! * 0.299 + green! * 0.587 + blue! * 0.114 > 150
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
