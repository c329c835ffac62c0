/**
 * A detached CMS signature (PKCS #7, RFC 5652), as Apple Wallet expects it of the manifest of a pass: SHA-256 with
 * RSA, with the certificate and its issuer's inside. The private key is used by OpenSSL, off our own code.
 */
import { createHash, type KeyObject, sign, type X509Certificate } from 'node:crypto'
import { der, derInteger, derOid, derTag, derTime, derValues } from './der.ts'

const oids = {
  data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingTime: '1.2.840.113549.1.9.5',
  sha256: '2.16.840.1.101.3.4.2.1',
  rsa: '1.2.840.113549.1.1.1',
}

export interface Signer {
  readonly certificate: X509Certificate
  readonly key: KeyObject
  /** The issuers of the certificate, as far as the reader does not have them. */
  readonly chain: readonly X509Certificate[]
}

const { sequence, set, octets, context0 } = derTag
const algorithm = (oid: string) => der(sequence, derOid(oid), der(derTag.null))
const attribute = (oid: string, value: Buffer) => der(sequence, derOid(oid), der(set, value))

export function signDetached(content: Buffer, { certificate, key, chain }: Signer, now: Date): Buffer {
  const digest = createHash('sha256').update(content).digest()
  // DER wants the elements of a set in the order of their bytes.
  const attributes = [
    attribute(oids.contentType, derOid(oids.data)),
    attribute(oids.signingTime, derTime(now)),
    attribute(oids.messageDigest, der(octets, digest)),
  ].sort(Buffer.compare)
  const signature = sign('sha256', der(set, ...attributes), key)
  const signerInfo = der(
    sequence,
    derInteger(1),
    issuerAndSerial(certificate),
    algorithm(oids.sha256),
    der(context0, ...attributes),
    algorithm(oids.rsa),
    der(octets, signature),
  )
  const signedData = der(
    sequence,
    derInteger(1),
    der(set, algorithm(oids.sha256)),
    der(sequence, derOid(oids.data)),
    der(context0, ...[certificate, ...chain].map(({ raw }) => raw)),
    der(set, signerInfo),
  )
  return der(sequence, derOid(oids.signedData), der(context0, signedData))
}

/** What names a certificate: its issuer and the number that the issuer gave it. */
function issuerAndSerial({ raw }: X509Certificate): Buffer {
  const [certificate] = derValues(raw)
  const [signed] = derValues(certificate!.content)
  const fields = derValues(signed!.content)
  // The version is left out of certificates of version 1.
  const [serial, , issuer] = fields[0]!.tag === context0 ? fields.slice(1) : fields
  return der(sequence, issuer!.whole, serial!.whole)
}
