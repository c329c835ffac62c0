import { type Clause, must, mustAccept, mustRefuse, type Registered, type Till } from '../clause.ts'

const path = '/v1/customers/register'

export const registration: readonly Clause[] = [
  {
    id: 'register.response',
    text: 'Registering answers 201 with the customer, status 1, and the card of this registration alone, status 1.',
    async check(till) {
      const { answer } = await till.register()
      mustAccept(answer, 201)
      const { id, status, cards } = answer.body
      must(typeof id === 'string' && id !== '', 'id is not a text')
      must(status === 1, `status is ${status}`)
      must(Array.isArray(cards) && cards.length === 1, `cards is ${JSON.stringify(cards)}`)
      const [card] = cards
      must(
        typeof card.id === 'string' && typeof card.barcode === 'string',
        'the card lacks an id or a barcode',
      )
      must(card.status === 1, `the status of the card is ${card.status}`)
    },
  },
  {
    id: 'register.times',
    text: '`createdAt` and `updatedAt` are ISO 8601 timestamps.',
    async check(till) {
      const { body } = (await till.register()).answer
      for (const name of ['createdAt', 'updatedAt']) {
        const isTime = typeof body[name] === 'string' && /^\d{4}-\d\d-\d\dT/.test(body[name])
        must(isTime && !Number.isNaN(Date.parse(body[name])), `${name} is ${JSON.stringify(body[name])}`)
      }
    },
  },
  {
    id: 'register.balances',
    text: '`collectables` has the balances of the campaign, each with `value` and `total`, which start at 0.',
    async check(till) {
      const { collectables } = (await till.register()).answer.body
      const balances = Object.entries<{ value: unknown; total: unknown }>(collectables ?? {})
      must(balances.length > 0, 'there is no balance; choose a campaign that has one')
      for (const [key, { value, total }] of balances) {
        must(value === 0 && total === 0, `${key} starts with ${value} and ${total}`)
      }
    },
  },
  {
    id: 'register.phone',
    text: '`data.phone` is returned in E.164 form.',
    async check(till) {
      const { answer, data } = await till.register()
      const expected = data.phone.replaceAll(' ', '')
      must(answer.body.data?.phone === expected, `it is ${answer.body.data?.phone}, not ${expected}`)
    },
  },
  {
    id: 'register.omitted',
    text: 'What has no value is left out; only `opaqueId` is `null` then.',
    async check(till) {
      const customer = { data: { fullname: 'Conformance' } }
      const { body } = await register(till, { customer })
      must(body.opaqueId === null, `opaqueId is ${JSON.stringify(body.opaqueId)}`)
      must(!('phone' in body.data) && !('email' in body.data), 'data has a phone or an email without a value')
      const { opaqueId: _, ...rest } = body
      must(!JSON.stringify(rest).includes('null'), 'another field is null')
    },
  },
  {
    id: 'register.opaque-id',
    text: '`opaqueId` is returned as it was sent.',
    async check(till) {
      const opaqueId = `conformance-${till.unique()}`
      const { body } = await register(till, { customer: { data: {}, opaqueId } })
      must(body.opaqueId === opaqueId, `it is ${JSON.stringify(body.opaqueId)}`)
    },
  },
  {
    id: 'register.again',
    text: 'Registering the same customer into the same campaign again returns the existing card, without an error.',
    async check(till) {
      const first = await till.register()
      const again = await register(till, { customer: { id: first.id } })
      mustAccept(again, 201)
      mustBeCardOf(again.body, first)
    },
  },
  {
    id: 'register.at-once',
    text: 'Registering the same customer several times at once opens one card.',
    async check(till) {
      const first = await till.register()
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => register(till, { customer: { id: first.id } })),
      )
      for (const { body } of answers) mustBeCardOf(body, first)
    },
  },
  {
    id: 'register.existing-ignores',
    text: 'With `customer.id`, all other fields of the customer are ignored, and the profile is not modified.',
    async check(till) {
      const first = await till.register()
      const other = { phone: 'nonsense', email: 7, fullname: 'Somebody else' }
      const again = await register(till, { customer: { id: first.id, data: other, opaqueId: 12 } })
      mustAccept(again, 201)
      const { phone, email, fullname } = again.body.data
      const before = first.answer.body.data
      const isSame = phone === before.phone && email === before.email && fullname === before.fullname
      must(isSame, `the profile is now ${JSON.stringify(again.body.data)}`)
    },
  },
  refused('customer-not-found', 'An unknown `customer.id`', 'customer_not_found', (till) => ({
    customer: { id: `cus_${till.unique()}` },
  })),
  refused('invalid-campaign', 'A campaign that does not exist', 'invalid_campaign', (till) => ({
    campaignId: `cmp_${till.unique()}`,
    customer: { data: {} },
  })),
  refused('invalid-phone', 'An invalid phone', 'invalid_phone', () => ({
    customer: { data: { phone: '12' } },
  })),
  refused('existing-email', 'An email that a customer has', 'existing_customer_with_email', async (till) => {
    const { data } = await till.register()
    return { customer: { data: { email: data.email } } }
  }),
  refused('existing-phone', 'A phone that a customer has', 'existing_customer_with_phone', async (till) => {
    const { data } = await till.register()
    return { customer: { data: { phone: data.phone } } }
  }),
  refused('opaque-id-taken', 'An `opaqueId` that is used', 'opaque_id_already_exists', async (till) => {
    const opaqueId = `conformance-${till.unique()}`
    await register(till, { customer: { data: {}, opaqueId } })
    return { customer: { data: {}, opaqueId } }
  }),
  {
    id: 'register.all-or-nothing',
    text: 'A refused registration leaves no customer behind.',
    async check(till) {
      const { data } = await till.register()
      const email = `${till.unique()}@example.com`
      const refusal = await register(till, { customer: { data: { email, phone: data.phone } } })
      mustRefuse(refusal, 400, 'existing_customer_with_phone')
      // If the customer was left behind, the address is taken now.
      mustAccept(await register(till, { customer: { data: { email } } }), 201)
    },
  },
  {
    id: 'register.data-required',
    text: 'Without `customer.id`, `customer.data` is required.',
    async check(till) {
      mustRefuse(await register(till, { customer: {} }), 400)
    },
  },
  {
    id: 'barcode.unique',
    text: 'Every card has a barcode of its own.',
    async check(till) {
      const found = await Promise.all([till.register(), till.register(), till.register()])
      must(new Set(found.map(({ barcode }) => barcode)).size === 3, 'two cards have the same barcode')
    },
  },
]

const register = async (till: Till, body: object) =>
  till.send('POST', path, {
    token: await till.token(),
    body: { campaignId: till.campaign, ...body },
  })

function refused(
  name: string,
  what: string,
  code: string,
  bodyOf: (till: Till) => object | Promise<object>,
): Clause {
  return {
    id: `register.${name}`,
    text: `${what} is refused with 400 \`${code}\`.`,
    async check(till) {
      mustRefuse(await register(till, await bodyOf(till)), 400, code)
    },
  }
}

function mustBeCardOf(body: { cards?: { id: string; barcode: string }[] }, first: Registered): void {
  const { cards = [] } = body
  must(cards.length === 1, `it returns ${cards.length} cards`)
  must(cards[0]!.id === first.card && cards[0]!.barcode === first.barcode, 'it is another card')
}
