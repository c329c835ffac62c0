import { Type } from 'typebox'
import { maxQuantity } from '../../domain/money.ts'
import { named } from '../openapi/name-components.ts'
import { returnExample } from './examples.ts'
import { ExecutedActions } from './executed-actions.ts'
import { Id, Money, OpaqueId, Optional, Timestamp, whatIsCompared } from './fields.ts'

export const ReturnBody = Type.Object(
  {
    opaqueId: Optional(
      OpaqueId(
        `Your number for the return; unique among the organization's returns, forever. ${whatIsCompared}`,
      ),
    ),
    items: Optional(
      Type.Array(
        Type.Object({
          id: OpaqueId('The item in the sale.'),
          quantity: Type.Number({
            exclusiveMinimum: 0,
            maximum: maxQuantity,
            description: 'How much of it is returned.',
          }),
        }),
        {
          minItems: 1,
          maxItems: 500,
          description: 'Items to return. Defaults to everything that has not been returned.',
        },
      ),
    ),
    amount: Optional(
      Money(
        'The part of `payableAmount` that comes back, for a sale that was sent without items. ' +
          'Defaults to everything that has not been returned.',
      ),
    ),
    reason: Optional(Type.String({ maxLength: 500, description: 'Why; kept with the return.' })),
  },
  {
    ...named('ReturnRequest'),
    description: 'What is returned. An empty body returns everything that is left.',
    examples: [{ opaqueId: 'T1-000123-R1', items: [{ id: '1', quantity: 1 }], reason: 'Cold' }],
  },
)

export type ReturnBody = Type.Static<typeof ReturnBody>

const returnFields = {
  transaction: Id('txn', 'The sale.'),
  opaqueId: Optional(Type.String({ description: 'Your number for the return.' })),
  reason: Optional(Type.String({ description: 'Why, as sent.' })),
  items: Type.Array(
    Type.Object(
      {
        id: Type.String({ description: 'The item in the sale.' }),
        quantity: Type.Number({ description: 'How much of it was returned.' }),
      },
      { ...named('ReturnedItem') },
    ),
    { description: 'The items that were returned.' },
  ),
  amount: Optional(
    Type.Number({ description: 'The part of `payableAmount` that came back, for a sale without items.' }),
  ),
  pointsRestored: Type.Number({
    description: 'Points that came back to the balance, without those that have expired since.',
  }),
  refundAmount: Type.Number({
    description: 'Amount to refund: the share of `totals.due` that belongs to the returned items.',
  }),
  executedActions: ExecutedActions,
}

export const Return = Type.Object(
  { id: Id('ret'), ...returnFields, createdAt: Timestamp('When it was booked.') },
  {
    ...named('SaleReturn'),
    examples: [returnExample],
  },
)

const { id: _, createdAt: __, ...returnPreviewExample } = returnExample

export const ReturnPreview = Type.Object(returnFields, {
  ...named('ReturnPreview'),
  examples: [returnPreviewExample],
})
