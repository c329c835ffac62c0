/** Passes in the wallet of a phone, and what can be wrong with the keys that they are signed with. */

export const walletKinds = ['apple', 'google'] as const
export type WalletKind = (typeof walletKinds)[number]

/** Each with what to do about it. */
export const passProblems = {
  certificate_unreadable:
    'The certificate cannot be read. Send the pass type certificate as PEM: openssl x509 -inform der -in pass.cer -out pass.pem',
  key_unreadable:
    'The private key cannot be read. Send it as PEM, with its passphrase if it has one: it is the key that the certificate was requested with.',
  key_mismatch:
    'The private key does not belong to the certificate. Use the key that the certificate was requested with, or request a new certificate.',
  key_not_rsa:
    'The private key is not an RSA key. Request a pass type certificate for an RSA key of 2048 bits.',
  certificate_expired:
    'The certificate has expired. Request a new one for the same pass type; passes that customers already have keep working.',
  certificate_not_yet_valid: 'The certificate is not valid yet. Check the clock of the server.',
  certificate_expires_soon:
    'The certificate expires within 30 days. Request a new one for the same pass type before that.',
  not_a_pass_certificate:
    'The certificate is not one for a pass type. Create a Pass Type ID in the Apple developer account, and its certificate there.',
  wrong_pass_type: 'The certificate is for another pass type than the one that you named.',
  wrong_team: 'The certificate is of another team than the one that you named.',
  chain_missing:
    'The intermediate certificate is missing. Send the Apple WWDR certificate that issued yours as PEM; Apple offers it for download.',
  chain_mismatch:
    'The intermediate certificate did not issue the certificate. Compare the issuer of yours (openssl x509 -noout -issuer) with the generation of the WWDR certificate.',
  chain_expired:
    'The intermediate certificate has expired. Download the current WWDR certificate from Apple.',
  service_account_unreadable:
    'The key of the service account cannot be read. Send the JSON file that Google Cloud offers for a key of a service account, unchanged.',
  issuer_invalid: 'The issuer ID is not a number. It is shown in the Google Pay & Wallet Console.',
  sealed_elsewhere:
    'The stored keys cannot be opened, because the installation has other secrets now. Send them again.',
} as const satisfies Record<string, string>

export type PassProblemCode = keyof typeof passProblems

export interface PassProblem {
  readonly code: PassProblemCode
  readonly message: string
  /** Passes are offered all the same. */
  readonly isWarning: boolean
}

const warnings: readonly PassProblemCode[] = ['certificate_expires_soon']

export const toPassProblem = (code: PassProblemCode): PassProblem => ({
  code,
  message: passProblems[code],
  isWarning: warnings.includes(code),
})
