/** One customer of a run, and the comparison of what the service tells with what the model says. */
import { expect } from 'vitest'
import type { Reply } from '../support/service.ts'
import type { Body, Shop } from '../support/shop.ts'
import type { CardName, Key } from './baskets.ts'
import type { Coupon } from './coupons.ts'
import { Model, type Return, type Sale } from './model.ts'

const keys = ['points', 'stamps', 'miles'] as const

export interface Snapshot {
  readonly values: Readonly<Record<Key, number>>
  /** Statuses by id. */
  readonly coupons: ReadonlyMap<string, string>
}

/** One customer: what the model says, and how its things are called in the service. */
export class Run {
  readonly model = new Model()
  readonly cards = {} as Record<CardName, string>
  readonly coupons = new Map<Coupon, string>()
  readonly sales = new Map<Sale, string>()
  lastSale?: { body: object; reply: Body }
  readonly customer: string
  readonly phone: string
  private readonly shop: Shop
  private readonly happened: Record<string, number>

  /** `happened` is how often what happened, over all runs. */
  constructor(shop: Shop, happened: Record<string, number>, customer: string, phone: string) {
    this.shop = shop
    this.happened = happened
    this.customer = customer
    this.phone = phone
  }

  private count(what: string): void {
    this.happened[what] = (this.happened[what] ?? 0) + 1
  }

  /** A call whose answer is the refusal that was expected, or a success. */
  async expectAnswer(reply: Reply, refusal: string | undefined): Promise<Body> {
    const answer = reply.status < 400 ? 'done' : reply.body.message
    expect([reply.method, reply.path, answer]).toEqual([reply.method, reply.path, refusal ?? 'done'])
    this.count(`${reply.path.replace(/\w+_[0-9a-f]{32}/, '*')} ${answer}`)
    return reply.body
  }

  snapshot(): Snapshot {
    const { balances, coupons } = this.model
    return {
      values: { points: balances.points.value, stamps: balances.stamps.value, miles: balances.miles.value },
      coupons: new Map(coupons.map((coupon) => [this.coupons.get(coupon)!, this.model.statusOf(coupon)])),
    }
  }

  async expectSameWallet(): Promise<void> {
    this.model.expire()
    const [view, listed] = await Promise.all([
      this.shop.get(`/v1/customers/${this.customer}`),
      this.shop.get(`/v1/customers/${this.customer}/coupons?limit=100`),
    ])
    const balances = Object.entries(this.model.balances).map(([key, { value, total }]) => [
      key,
      { value, total },
    ])
    expect(view.collectables).toEqual(Object.fromEntries(balances))
    const known = this.model.coupons.map(
      (coupon) => `${this.coupons.get(coupon)} ${coupon.reward} ${this.model.statusOf(coupon)}`,
    )
    const statuses: Record<number, string> = { 1: 'active', 3: 'redeemed', 4: 'expired', 5: 'revoked' }
    const told = listed.data.map((item: Body) => `${item.id} ${item.reward.key} ${statuses[item.status]}`)
    // The newest page has at most a hundred of them.
    expect(told.toSorted()).toEqual(known.slice(-100).toSorted())
    const active = this.model.coupons.filter((coupon) => this.model.statusOf(coupon) === 'active')
    expect(view.coupons.map(({ id }: Body) => id).toSorted()).toEqual(
      active.map((item) => this.coupons.get(item)).toSorted(),
    )
  }

  /** A return tells one change for each balance, what of it paid a shortfall, and the coupons that it changed. */
  expectReturn(done: Body, { points, refund, settled }: Return, before: Snapshot): void {
    const after = this.snapshot()
    expect({ points: done.pointsRestored, refund: Math.round(done.refundAmount * 100) }).toEqual({
      points,
      refund,
    })
    const actions: Body[] = done.executedActions.actions
    const changes = actions.filter(({ type }) => type === 'return')
    expect(new Set(changes.map(({ key }) => key)).size).toBe(changes.length)
    for (const key of keys) {
      const change = changes.find((action) => action.key === key)
      expect({ key, amount: change?.amount ?? 0, settled: change?.settled ?? 0 }).toEqual({
        key,
        amount: after.values[key] - before.values[key],
        settled: settled[key] ?? 0,
      })
      if (settled[key]) this.count(`settled ${key}`)
    }
    const changed = [...after.coupons].filter(([id, status]) => before.coupons.get(id) !== status)
    const named = (type: string) =>
      actions.filter((action) => action.type === type).map(({ coupon }) => coupon)
    const isRevoked = ([, status]: [string, string]) => status === 'revoked'
    const revoked = changed.filter(isRevoked)
    // One that has expired meanwhile is of no use to anybody.
    const restored = changed.filter(([, status]) => status === 'active')
    expect(named('revoke_coupon').toSorted()).toEqual(revoked.map(([id]) => id).toSorted())
    expect(named('restore_coupon').toSorted()).toEqual(restored.map(([id]) => id).toSorted())
    for (const [id, status] of changed)
      this.count(`coupon ${before.coupons.get(id)} to ${status} by a return`)
  }
}
