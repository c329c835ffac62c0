/** Reads the keys that passes are signed with, and says everything that is wrong with them. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { type PassProblem, type PassProblemCode, toPassProblem } from '../../domain/wallet-pass.ts'
import type { Signer } from './sign-detached.ts'

/** As PEM. */
export interface AppleKeysInput {
  readonly certificate: string
  readonly privateKey: string
  readonly passphrase?: string
  /** Apple's certificate that issued it. */
  readonly intermediate?: string
  /** What the certificate is expected to be for. */
  readonly passType?: string
  readonly team?: string
}

export interface AppleKeys extends Signer {
  readonly passType: string
  readonly team: string
  readonly expiresAt: Date
}

export interface Checked<T> {
  /** Undefined if a problem is more than a warning. */
  readonly keys?: T
  readonly problems: readonly PassProblem[]
  /** What could be read, for people to compare. */
  readonly shown: {
    readonly passType?: string
    readonly team?: string
    readonly validFrom?: Date
    readonly expiresAt?: Date
    readonly issuer?: string
    readonly serviceAccount?: string
  }
}

const soonMs = 30 * 86_400_000

export function checkAppleKeys(input: AppleKeysInput, now: Date): Checked<AppleKeys> {
  const certificate = attempt(() => new X509Certificate(input.certificate))
  const key = attempt(() => createPrivateKey({ key: input.privateKey, passphrase: input.passphrase }))
  const chain = readChain(input.intermediate)
  const { passType, team } = certificate ? namesIn(certificate) : {}
  const expiresAt = certificate && new Date(certificate.validTo)
  const validFrom = certificate && new Date(certificate.validFrom)
  const shown = { passType, team, validFrom, expiresAt }
  const codes = [
    ...(certificate
      ? certificateProblems(certificate, { passType, team }, input, now)
      : (['certificate_unreadable'] as const)),
    ...(key ? keyProblems(key, certificate) : (['key_unreadable'] as const)),
    ...(certificate ? chainProblems(certificate, chain, now) : []),
  ]
  const problems = codes.map(toPassProblem)
  const isUsable = problems.every(({ isWarning }) => isWarning)
  if (!isUsable || !certificate || !key || !chain || !passType || !team || !expiresAt)
    return { problems, shown }
  return { keys: { certificate, key, chain, passType, team, expiresAt }, problems, shown }
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Undefined without any, and if one cannot be read. */
function readChain(text: string | undefined): X509Certificate[] | undefined {
  const found = text?.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  const read = found.map((pem) => attempt(() => new X509Certificate(pem)))
  return read.length > 0 && read.every((one) => one !== undefined) ? read : undefined
}

/** The pass type is the subject's user ID, the team its organizational unit. */
function namesIn({ subject }: X509Certificate): { passType?: string; team?: string } {
  const value = (name: string) => new RegExp(`^${name}=(.+)$`, 'm').exec(subject)?.[1]
  return { passType: value('UID'), team: value('OU') }
}

function certificateProblems(
  { validFrom, validTo }: X509Certificate,
  { passType, team }: { passType?: string; team?: string },
  expected: AppleKeysInput,
  now: Date,
): PassProblemCode[] {
  const leftMs = Date.parse(validTo) - now.getTime()
  const problems: [PassProblemCode, boolean][] = [
    ['certificate_expired', leftMs <= 0],
    ['certificate_expires_soon', leftMs > 0 && leftMs <= soonMs],
    ['certificate_not_yet_valid', Date.parse(validFrom) > now.getTime()],
    ['not_a_pass_certificate', !passType?.startsWith('pass.') || !team],
    ['wrong_pass_type', expected.passType !== undefined && passType !== expected.passType],
    ['wrong_team', expected.team !== undefined && team !== expected.team],
  ]
  return problems.flatMap(([code, isThere]) => (isThere ? code : []))
}

function keyProblems(key: KeyObject, certificate: X509Certificate | undefined): PassProblemCode[] {
  if (key.asymmetricKeyType !== 'rsa') return ['key_not_rsa']
  return certificate && !certificate.checkPrivateKey(key) ? ['key_mismatch'] : []
}

function chainProblems(
  certificate: X509Certificate,
  chain: readonly X509Certificate[] | undefined,
  now: Date,
): PassProblemCode[] {
  if (!chain) return ['chain_missing']
  const issuer = chain.find((one) => certificate.checkIssued(one) && certificate.verify(one.publicKey))
  if (!issuer) return ['chain_mismatch']
  return Date.parse(issuer.validTo) <= now.getTime() ? ['chain_expired'] : []
}

export interface GoogleKeysInput {
  /** The number of the account in the Google Pay & Wallet Console. */
  readonly issuer: string
  /** The JSON file of a key of a service account. */
  readonly serviceAccount: string
}

export interface GoogleKeys {
  readonly issuer: string
  readonly email: string
  readonly key: KeyObject
}

/** Where the file says that tokens are to be had is not read: it is Google's, and not the sender's to choose. */
export function checkGoogleKeys({ issuer, serviceAccount }: GoogleKeysInput): Checked<GoogleKeys> {
  const file = attempt(() => JSON.parse(serviceAccount) as Record<string, unknown> | null)
  const email = typeof file?.client_email === 'string' ? file.client_email : undefined
  const key = attempt(() => createPrivateKey(String(file?.private_key)))
  const isAccount = file?.type === 'service_account' && email && key?.asymmetricKeyType === 'rsa'
  const isIssuer = /^\d{1,30}$/.test(issuer)
  const codes: PassProblemCode[] = [
    ...(isAccount ? [] : (['service_account_unreadable'] as const)),
    ...(isIssuer ? [] : (['issuer_invalid'] as const)),
  ]
  const keys = isAccount && isIssuer ? { issuer, email, key: key! } : undefined
  return { keys, problems: codes.map(toPassProblem), shown: { issuer, serviceAccount: email } }
}
