import { Type } from 'typebox'
import { passProblems, type WalletKind } from '../../domain/wallet-pass.ts'
import type { KeysOf, PassKeys } from '../../operations/passes/pass-keys.ts'
import type { HeldPass } from '../../store/passes.ts'
import { named } from '../openapi/name-components.ts'
import { briefly, Choice, WalletKinds } from './choices.ts'
import { exampleId } from './examples.ts'
import { Id, Nullable, Optional, Text, Timestamp } from './fields.ts'

const Pem = (description: string) => Text(20_000, { minLength: 1, description })

const AppleKeys = Type.Object(
  {
    certificate: Pem('The pass type certificate, as PEM.'),
    privateKey: Pem(
      'The key that the certificate was requested with, as PEM. Stored encrypted, and never shown.',
    ),
    passphrase: Optional(Text(1_000, { description: 'Passphrase of the key.' })),
    intermediate: Optional(Pem("Apple's WWDR certificate that issued the certificate, as PEM.")),
    passType: Optional(
      Text(200, { description: 'The pass type that the certificate is expected to be for.' }),
    ),
    team: Optional(Text(50, { description: 'The team that the certificate is expected to be of.' })),
  },
  { ...named('ApplePassKeys') },
)

const GoogleKeys = Type.Object(
  {
    issuer: Text(50, {
      minLength: 1,
      description: 'The issuer ID, as the Google Pay & Wallet Console shows it.',
    }),
    serviceAccount: Text(20_000, {
      minLength: 1,
      description:
        'The JSON file of a key of the service account, as text. Stored encrypted, and never shown.',
    }),
  },
  { ...named('GooglePassKeys') },
)

const BarcodeChoice = Choice('PassBarcode', 'The code on a pass.', {
  code128: 'Code 128; a watch, which cannot show it, shows the QR code.',
  qr: 'A QR code.',
})

export const PatchWalletPasses = Type.Object(
  {
    apple: Optional(Nullable(AppleKeys, 'Your own keys for Apple Wallet; `null` removes them.')),
    google: Optional(Nullable(GoogleKeys, 'Your own keys for Google Wallet; `null` removes them.')),
    barcode: Optional(BarcodeChoice),
  },
  { ...named('PatchWalletPasses'), examples: [{ barcode: 'qr' }] },
)

const ProblemReply = Type.Object(
  {
    code: Choice('PassProblemCode', 'What is wrong.', briefly(passProblems)),
    message: Type.String({ description: 'What is wrong, and what to do about it.' }),
    isWarning: Type.Boolean({ description: 'Whether passes are offered all the same.' }),
  },
  { ...named('PassProblem') },
)

const keysFields = {
  source: Choice('PassKeysSource', 'Whose keys they are.', {
    organization: 'Your own.',
    installation: "The operator's.",
  }),
  isOffered: Type.Boolean({ description: 'Whether customers can put the card into this wallet.' }),
  problems: Type.Array(ProblemReply, { description: 'Everything that is wrong with the keys.' }),
}

const AppleReply = Type.Object(
  {
    ...keysFields,
    passType: Optional(Type.String({ description: 'The pass type that the certificate is for.' })),
    team: Optional(Type.String({ description: 'The team that the certificate is of.' })),
    validFrom: Optional(Timestamp('Since when the certificate is valid.')),
    expiresAt: Optional(Timestamp('When the certificate expires.')),
  },
  { ...named('ApplePasses'), description: 'The keys for Apple Wallet; absent if there are none.' },
)

const GoogleReply = Type.Object(
  {
    ...keysFields,
    issuer: Optional(Type.String({ description: 'The issuer ID.' })),
    serviceAccount: Optional(Type.String({ description: 'The address of the service account.' })),
  },
  { ...named('GooglePasses'), description: 'The keys for Google Wallet; absent if there are none.' },
)

export const WalletPassesReply = Type.Object(
  {
    apple: Optional(AppleReply),
    google: Optional(GoogleReply),
    barcode: BarcodeChoice,
  },
  {
    ...named('WalletPasses'),
    examples: [
      {
        apple: {
          source: 'organization',
          isOffered: true,
          problems: [],
          passType: 'pass.com.example.loyalty',
          team: 'A1B2C3D4E5',
          validFrom: '2026-03-14T09:26:53.000Z',
          expiresAt: '2027-03-14T09:26:53.000Z',
        },
        barcode: 'code128',
      },
    ],
  },
)

export const PassOfCustomer = Type.Object(
  {
    wallet: WalletKinds,
    card: Id('card', 'The card that the pass was made for.'),
    isHeld: Type.Boolean({ description: 'Whether it is on a phone, as far as the wallet has told.' }),
    phones: Type.Integer({ description: 'Phones with Apple Wallet that ask for changes; 0 for Google.' }),
    changedAt: Timestamp('When what it shows was last changed.'),
  },
  { ...named('PassOfCustomer') },
)

export const passOfCustomerExample = {
  wallet: 'apple' as const,
  card: exampleId('card'),
  isHeld: true,
  phones: 1,
  changedAt: '2026-03-14T09:26:53.000Z',
}

export const toPassOfCustomer = ({ changedAt, ...pass }: HeldPass) => ({
  ...pass,
  changedAt: changedAt.toISOString(),
})

export function toWalletPassesReply(keys: PassKeys) {
  const common = (wallet: WalletKind) => {
    const { source, problems, keys: usable }: KeysOf<unknown> = keys[wallet]
    return (
      source && {
        source,
        isOffered: usable !== undefined,
        problems: problems.map((problem) => ({ ...problem })),
      }
    )
  }
  const { passType, team, validFrom, expiresAt } = keys.apple.shown
  const { issuer, serviceAccount } = keys.google.shown
  const [apple, google] = [common('apple'), common('google')]
  return {
    apple: apple && {
      ...apple,
      passType,
      team,
      validFrom: validFrom?.toISOString(),
      expiresAt: expiresAt?.toISOString(),
    },
    google: google && { ...google, issuer, serviceAccount },
    barcode: keys.firstCode,
  }
}
