/** Files with keys and certificates, as the text that the service takes. */

/** The most characters that the service takes. */
const mostCharacters = 20_000

export class UnusableFile extends Error {
  readonly reason: 'container' | 'tooLarge'

  constructor(reason: UnusableFile['reason']) {
    super(reason)
    this.reason = reason
  }
}

/** Apple offers certificates as DER, which is the binary form of PEM. */
export async function readKeyFile(file: File): Promise<string> {
  if (/\.(?:p12|pfx)$/i.test(file.name)) throw new UnusableFile('container')
  if (file.size > mostCharacters) throw new UnusableFile('tooLarge')
  const bytes = new Uint8Array(await file.arrayBuffer())
  // A DER structure begins with a sequence whose length takes two bytes.
  const isDer = bytes[0] === 0x30 && bytes[1] === 0x82
  return isDer ? toPem(bytes) : new TextDecoder().decode(bytes).trim()
}

function toPem(bytes: Uint8Array): string {
  const base64 = btoa(String.fromCharCode(...bytes))
  const lines = base64.match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----'].join('\n')
}
