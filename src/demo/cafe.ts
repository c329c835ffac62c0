/** The demo café: its looks, products, branches, baristas and campaigns. */

const cup = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96"><circle cx="48" cy="48" r="48" fill="#fff4e4"/>
<g fill="none" stroke="#7b3f1d" stroke-width="5" stroke-linecap="round"><path d="M38 31c-5-5 4-8-1-13M50 31c-5-5 4-8-1-13"/>
<path d="M63 43h3a9 9 0 0 1 0 18h-4"/><path d="M24 78h44"/></g>
<path d="M25 38h39v14a19 19 0 0 1-19 19h-1a19 19 0 0 1-19-19z" fill="#7b3f1d"/></svg>`

export const looks = {
  color: '#7b3f1d',
  logo: `data:image/svg+xml;base64,${Buffer.from(cup).toString('base64')}`,
  contact: {
    address: '12 Main Street\nSpringfield',
    openingHours: 'Mon–Fri 7 am – 6 pm\nSat–Sun 8 am – 5 pm',
    phone: '+1 202 555 0142',
    email: 'hello@example.com',
    website: 'https://example.com',
    termsUrl: 'https://example.com/terms',
    privacyUrl: 'https://example.com/privacy',
  },
}

export const branches = [
  { opaqueId: 'main', name: 'Main Street' },
  { opaqueId: 'riverside', name: 'Riverside' },
  { opaqueId: 'station', name: 'Central Station' },
] as const

export type Branch = (typeof branches)[number]['opaqueId']

export const baristas: readonly { opaqueId: string; name: string; branch: Branch }[] = [
  { opaqueId: 'barista-maya', name: 'Maya Brooks', branch: 'main' },
  { opaqueId: 'barista-tomasz', name: 'Tomasz Lis', branch: 'main' },
  { opaqueId: 'barista-ines', name: 'Inês Duarte', branch: 'riverside' },
  { opaqueId: 'barista-kofi', name: 'Kofi Owusu', branch: 'riverside' },
  { opaqueId: 'barista-yuki', name: 'Yuki Tanabe', branch: 'station' },
  { opaqueId: 'barista-elif', name: 'Elif Şahin', branch: 'station' },
]

/** Added last: a café without her was interrupted while it was being filled. */
export const lastBarista = { opaqueId: 'barista-noor', name: 'Noor Haddad', branch: 'main' } as const

export interface Product {
  readonly opaqueId: string
  readonly name: string
  readonly category: string
  readonly price: number
}

export const products: readonly Product[] = [
  { opaqueId: 'espresso', name: 'Espresso', category: 'coffee', price: 2.8 },
  { opaqueId: 'latte', name: 'Latte', category: 'coffee', price: 3.5 },
  { opaqueId: 'flat-white', name: 'Flat white', category: 'coffee', price: 3.9 },
  { opaqueId: 'cappuccino', name: 'Cappuccino', category: 'coffee', price: 3.7 },
  { opaqueId: 'cold-brew', name: 'Cold brew', category: 'cold', price: 4.2 },
  { opaqueId: 'iced-matcha', name: 'Iced matcha', category: 'cold', price: 4.9 },
  { opaqueId: 'lemonade', name: 'Homemade lemonade', category: 'cold', price: 3.6 },
  { opaqueId: 'green-tea', name: 'Green tea', category: 'tea', price: 3.1 },
  { opaqueId: 'chai', name: 'Chai latte', category: 'tea', price: 4.1 },
  { opaqueId: 'hot-chocolate', name: 'Hot chocolate', category: 'tea', price: 4.3 },
  { opaqueId: 'croissant', name: 'Croissant', category: 'bakery', price: 3 },
  { opaqueId: 'cinnamon-roll', name: 'Cinnamon roll', category: 'bakery', price: 3.8 },
  { opaqueId: 'banana-bread', name: 'Banana bread', category: 'bakery', price: 3.4 },
  { opaqueId: 'carrot-cake', name: 'Carrot cake', category: 'cake', price: 4.9 },
  { opaqueId: 'cheesecake', name: 'Cheesecake', category: 'cake', price: 5.2 },
  { opaqueId: 'avocado-toast', name: 'Avocado toast', category: 'lunch', price: 8.9 },
  { opaqueId: 'tomato-soup', name: 'Tomato soup', category: 'lunch', price: 7.2 },
  { opaqueId: 'club-sandwich', name: 'Club sandwich', category: 'lunch', price: 9.4 },
  { opaqueId: 'beans-250g', name: 'House beans, 250 g', category: 'to take home', price: 11.5 },
  { opaqueId: 'reusable-cup', name: 'Reusable cup', category: 'to take home', price: 14 },
]

export const coffees = products.filter(({ category }) => category === 'coffee')
export const otherDrinks = products.filter(({ category }) => category === 'tea' || category === 'cold')
export const pastries = products.filter(({ category }) => category === 'bakery')
export const cakes = products.filter(({ category }) => category === 'cake')
export const lunches = products.filter(({ category }) => category === 'lunch')
export const takeaways = products.filter(({ category }) => category === 'to take home')

/** The campaign of the README. */
export const coffeeClub = {
  name: 'Coffee club',
  balances: [
    { key: 'points', name: 'Points' },
    { key: 'stamps', name: 'Stamps' },
  ],
  rules: [
    { id: 'base', kind: 'points_per_amount', balance: 'points', points: 10, per: 1 },
    {
      id: 'coffee',
      kind: 'collect_per_item',
      balance: 'stamps',
      amount: 1,
      products: ['espresso', 'latte', 'flat-white', 'cappuccino'],
    },
  ],
  rewards: [
    {
      key: 'free-coffee',
      name: 'Free coffee',
      kind: 'free_product',
      products: ['espresso', 'latte', 'flat-white', 'cappuccino'],
      validDays: 30,
    },
    { key: 'five-off', name: '$5 off', kind: 'amount_off', amount: 5, validDays: 90 },
  ],
  thresholds: [
    { balance: 'stamps', at: 10, grant: 'free-coffee', consume: true },
    { balance: 'points', at: 1000, grant: 'five-off' },
  ],
  spend: { balance: 'points', worth: 0.01, min: 100, maxShare: 0.5 },
}

/**
 * What the second version of the coffee club adds. A first basket reaches no tier, so the README still holds.
 */
export const coffeeClubTiers = {
  rules: [
    ...coffeeClub.rules,
    { id: 'gold', kind: 'multiply', balance: 'points', factor: 1.5, when: { tiers: ['gold'] } },
  ],
  tiers: [
    { key: 'bronze', name: 'Bronze', balance: 'points', from: 750 },
    { key: 'silver', name: 'Silver', balance: 'points', from: 1500 },
    { key: 'gold', name: 'Gold', balance: 'points', from: 3000 },
  ],
}

/** Has its own cards: on those of the coffee club it would change what the README shows. */
export const happyHour = {
  name: 'Happy hour',
  balances: [{ key: 'beans', name: 'Beans', expires: { after: 'P21D' } }],
  rules: [
    {
      id: 'afternoon',
      kind: 'collect_per_visit',
      balance: 'beans',
      amount: 1,
      when: { from: '15:00', to: '17:00' },
    },
    { id: 'friday', kind: 'multiply', balance: 'beans', factor: 2, when: { days: ['fri'] } },
  ],
  rewards: [
    {
      key: 'free-cake',
      name: 'Free piece of cake',
      kind: 'free_product',
      products: cakes.map(({ opaqueId }) => opaqueId),
      validDays: 14,
    },
  ],
  thresholds: [{ balance: 'beans', at: 4, grant: 'free-cake', consume: true }],
}

export const studentMornings = {
  name: 'Student mornings',
  balances: [{ key: 'study-stamps', name: 'Study stamps' }],
  rules: [
    {
      id: 'early',
      kind: 'collect_per_visit',
      balance: 'study-stamps',
      amount: 1,
      when: { days: ['mon', 'tue', 'wed', 'thu', 'fri'], to: '10:00', branches: ['station'] },
    },
  ],
  rewards: [
    { key: 'student-deal', name: '20% off', kind: 'percent_off', percent: 20, maxAmount: 5, validDays: 30 },
  ],
  thresholds: [{ balance: 'study-stamps', at: 6, grant: 'student-deal', consume: true }],
}

export const icedDrinks = {
  name: 'Iced drinks club',
  balances: [{ key: 'ice-cubes', name: 'Ice cubes' }],
  rules: [
    { id: 'cold', kind: 'collect_per_item', balance: 'ice-cubes', amount: 1, categories: ['cold'] },
    {
      id: 'heat',
      kind: 'multiply',
      balance: 'ice-cubes',
      factor: 2,
      when: { from: '13:00', to: '17:00' },
    },
  ],
  rewards: [{ key: 'cold-drink', name: '$3 off a cold drink', kind: 'amount_off', amount: 3, validDays: 21 }],
  thresholds: [{ balance: 'ice-cubes', at: 8, grant: 'cold-drink', consume: true }],
}
