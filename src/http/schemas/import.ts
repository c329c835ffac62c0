/** Files that are imported and exported: what is sent of them, and what comes back. */
import { Type } from 'typebox'
import { describeProblem, type ImportRow as Row } from '../../domain/import.ts'
import { fromUnits } from '../../domain/money.ts'
import type { RowsOutcome } from '../../operations/imports/piece.ts'
import type { ExportedCustomer } from '../../store/export-customers.ts'
import type { Import, RejectedRow } from '../../store/imports.ts'
import { named } from '../openapi/name-components.ts'
import { Choice, ImportKinds, ImportProblemCode } from './choices.ts'
import { exampleId } from './examples.ts'
import { CreatedAt, FreeForm, Id, importCounts, Optional, Text, Timestamp } from './fields.ts'

export const ExistingRows = Choice('ExistingRows', 'What happens to what is there already.', {
  keep: 'It stays as it is. Customers get a card or an opening balance that they do not have.',
  update: 'What the file says replaces it, field by field. Balances are never changed.',
})

export const ImportStatus = Choice('ImportStatus', 'Status of an import.', {
  open: 'Takes rows.',
  finished: 'Takes no more rows.',
})

const fileFields = {
  fileName: Optional(Text(255, { description: 'What people call the file.' })),
  fileHash: Optional(
    Text(128, { description: 'Of the contents: an import that was interrupted is found by it.' }),
  ),
  columns: Optional(
    Type.Record(Text(255), Text(255), {
      description: 'How the columns were understood, for the record: the field of each.',
    }),
  ),
}

const counting = {
  countTowardTotal: Optional(
    Type.Boolean({
      description:
        'Whether opening balances count toward the lifetime total, which tiers look at; a row that has a total of its own says it itself. Defaults to true.',
    }),
  ),
}

export const NewImport = Type.Object(
  {
    kind: ImportKinds,
    campaign: Optional(Id('cmp', 'Every customer of the file gets a card of it.')),
    dryRun: Optional(
      Type.Boolean({ description: 'Checks the rows and stores nothing of them. Defaults to false.' }),
    ),
    existing: Optional(ExistingRows),
    ...counting,
    ...fileFields,
  },
  {
    ...named('NewImport'),
    examples: [{ kind: 'customers', campaign: exampleId('cmp'), fileName: 'customers.csv' }],
  },
)

const importExample = {
  id: exampleId('imp'),
  status: 'finished',
  kind: 'customers',
  campaign: exampleId('cmp'),
  dryRun: false,
  existing: 'keep',
  countTowardTotal: true,
  fileName: 'customers.csv',
  created: 981,
  updated: 0,
  unchanged: 12,
  rejected: 7,
  lastRow: 1001,
  createdAt: '2026-03-14T09:26:53.589Z',
  finishedAt: '2026-03-14T09:26:55.012Z',
}

export const ImportReply = Type.Object(
  {
    id: Id('imp'),
    status: ImportStatus,
    kind: ImportKinds,
    campaign: Optional(Id('cmp', 'Every customer of the file gets a card of it.')),
    dryRun: Type.Boolean({ description: 'Whether nothing is stored.' }),
    existing: ExistingRows,
    countTowardTotal: Type.Boolean({ description: 'Whether opening balances count toward the total.' }),
    ...fileFields,
    ...importCounts,
    lastRow: Type.Integer({ description: 'Every row up to this one is done: resume after it.' }),
    createdAt: CreatedAt,
    finishedAt: Optional(Timestamp('When it was finished; absent while it takes rows.')),
  },
  { ...named('Import'), examples: [importExample] },
)

export function toImportReply({ counts, finishedAt, createdAt, ...found }: Import) {
  return {
    id: found.id,
    status: finishedAt ? ('finished' as const) : ('open' as const),
    kind: found.kind,
    campaign: found.campaign,
    dryRun: found.isDryRun,
    existing: found.updatesExisting ? ('update' as const) : ('keep' as const),
    countTowardTotal: found.countsTowardTotal,
    fileName: found.fileName,
    fileHash: found.fileHash,
    columns: found.columns,
    ...counts,
    lastRow: found.lastRow,
    createdAt: createdAt.toISOString(),
    finishedAt: finishedAt?.toISOString(),
  }
}

const Cell = (description: string) => Optional(Text(10_000, { description }))

const Lots = Type.Array(
  Type.Object({
    amount: Type.Number({ description: 'With the decimals of the balance.' }),
    expiresAt: Optional(Text(40, { description: 'The last day, or a time. Absent if it does not expire.' })),
  }),
  { maxItems: 100, description: 'The balance, by when it expires.' },
)

const BalanceOfRow = Type.Object({
  key: Text(64, { description: 'Key of the balance.' }),
  total: Optional(Type.Number({ description: 'What was ever collected.' })),
  lots: Lots,
})

const ProblemOfRow = Type.Object({
  field: Text(300, { description: 'Such as `email` or `balances.points`.' }),
  code: ImportProblemCode,
  otherRow: Optional(Type.Integer({ description: 'The earlier row with the same value.' })),
})

const rowFields = {
  opaqueId: Cell('Your own ID.'),
  fullname: Cell('Name of a customer.'),
  email: Cell('Email address of a customer.'),
  phone: Cell("Phone number of a customer, also in the format of the organization's country."),
  language: Cell('Language of a customer: `en`, `de` or `ar`.'),
  consents: Optional(
    Type.Record(Text(64), Type.Boolean(), {
      maxProperties: 100,
      description: 'What a customer agreed to, by purpose.',
    }),
  ),
  metaData: Optional(FreeForm('Anything else about a customer.')),
}

export const ImportRow = Type.Object(
  {
    row: Type.Integer({ minimum: 1, maximum: 2_000_000_000, description: 'Its number in the file.' }),
    problems: Optional(
      Type.Array(ProblemOfRow, { maxItems: 100, description: 'What the file alone shows to be wrong.' }),
    ),
    ...rowFields,
    cards: Optional(
      Type.Array(
        Type.Object({
          campaign: Optional(Text(255, { description: 'ID or name; that of the import without it.' })),
          barcode: Cell('An existing barcode; a new one is made without it.'),
        }),
        { maxItems: 100, description: 'Cards of a customer.' },
      ),
    ),
    balances: Optional(
      Type.Array(BalanceOfRow, { maxItems: 100, description: 'Opening balances of a customer.' }),
    ),
    name: Cell('Name of a product or branch.'),
    category: Cell('Category of a product.'),
    price: Optional(Type.Number({ description: 'Price of a product.' })),
  },
  { ...named('ImportRow') },
)

export const ImportRows = Type.Object(
  {
    after: Type.Integer({
      minimum: 0,
      maximum: 2_000_000_000,
      description: 'The last row that was sent before these; 0 for the first.',
    }),
    rows: Type.Array(ImportRow, { minItems: 1, maxItems: 500, description: 'In the order of the file.' }),
  },
  {
    ...named('ImportRows'),
    examples: [
      {
        after: 0,
        rows: [
          {
            row: 2,
            fullname: 'Ada Lovelace',
            email: 'countess@example.com',
            balances: [{ key: 'points', lots: [{ amount: 120, expiresAt: '2099-12-31' }] }],
          },
        ],
      },
    ],
  },
)

/** The schema has checked it. */
export const toRows = (rows: readonly object[]) => rows as readonly Row[]

const RowProblem = Type.Object(
  {
    ...ProblemOfRow.properties,
    message: Type.String({ description: 'The problem in a sentence.' }),
  },
  named('RowProblem'),
)

const rejectedExample = {
  row: 14,
  problems: [{ field: 'email', code: 'invalid', message: 'email: the value is not valid.' }],
}

export const RejectedRowReply = Type.Object(
  {
    row: Type.Integer({ description: 'Its number in the file.' }),
    problems: Type.Array(RowProblem, { description: 'Everything that is wrong with it.' }),
  },
  { ...named('RejectedRow'), examples: [rejectedExample] },
)

export const toRejectedReply = ({ row, problems }: RejectedRow) => ({
  row,
  problems: problems.map((problem) => ({ ...problem, message: describeProblem(problem) })),
})

export const RowsReply = Type.Object(
  {
    ...importCounts,
    rows: Type.Array(RejectedRowReply, { description: 'Those that were rejected.' }),
  },
  {
    ...named('ImportedRows'),
    examples: [{ created: 499, updated: 0, unchanged: 0, rejected: 1, rows: [rejectedExample] }],
  },
)

export const toRowsReply = ({ counts, rejected }: RowsOutcome) => ({
  ...counts,
  rows: rejected.map(toRejectedReply),
})

// Exports ---------------------------------------------------------------------------------------------------

export const ExportedCustomerReply = Type.Object(
  {
    id: Id('cus'),
    opaqueId: Optional(Type.String({ description: 'Your own ID.' })),
    fullname: Optional(Type.String({ description: 'The name.' })),
    email: Optional(Type.String({ description: 'The email address.' })),
    phone: Optional(Type.String({ description: 'The phone number.' })),
    language: Optional(Type.String({ description: 'The language.' })),
    consents: Optional(
      Type.Record(Type.String(), Type.Boolean(), { description: 'What the customer agreed to.' }),
    ),
    metaData: Optional(FreeForm('Anything else.')),
    cards: Type.Array(
      Type.Object({
        campaign: Type.String({ description: 'Name of the campaign.' }),
        barcode: Type.String({ description: 'The barcode.' }),
      }),
      { description: 'The cards that can be used now.' },
    ),
    balances: Type.Array(BalanceOfRow, { description: 'The balances, by when they expire.' }),
  },
  {
    ...named('ExportedCustomer'),
    description: 'A customer as a row of an import.',
    examples: [
      {
        id: exampleId('cus'),
        fullname: 'Ada Lovelace',
        phone: '+12025550123',
        cards: [{ campaign: 'Coffee club', barcode: '2718281828459045' }],
        balances: [{ key: 'points', total: 127, lots: [{ amount: 127 }] }],
      },
    ],
  },
)

export function toExportedCustomer({ balances, cards, ...customer }: ExportedCustomer) {
  return {
    ...customer,
    cards: [...cards],
    balances: balances.map(({ key, value, total, decimals, lots }) => {
      const dated = lots.reduce((sum, { amount }) => sum + amount, 0)
      const rest = value - dated
      return {
        key,
        total: fromUnits(total, decimals),
        lots: [
          ...lots.map(({ amount, expiresAt }) => ({
            amount: fromUnits(amount, decimals),
            expiresAt: new Date(expiresAt).toISOString(),
          })),
          ...(rest > 0 ? [{ amount: fromUnits(rest, decimals) }] : []),
        ],
      }
    }),
  }
}
