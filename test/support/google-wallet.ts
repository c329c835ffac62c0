import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { importSPKI, type JWTPayload, jwtVerify } from 'jose'
import type { GoogleKeysInput } from '../../src/operations/passes/check-keys.ts'

/** A server that speaks Google's protocols: tokens for service accounts, and classes and objects of passes. */
export interface GoogleWallet {
  readonly hosts: { readonly googleApi: string; readonly googleToken: string }
  /** By kind and ID, such as `loyaltyObject/123.card_…`. */
  readonly stored: ReadonlyMap<string, Record<string, unknown>>
  readonly requests: readonly string[]
  /** How often a token was given out. */
  readonly tokens: number
  /** A status to answer with instead; undefined for what is asked for. */
  fail: (request: string) => number | undefined
  /** Objects that somebody has saved. */
  readonly saved: Set<string>
  /** An account that the server knows. */
  createAccount(): GoogleAccount
  close(): Promise<void>
}

export interface GoogleAccount extends GoogleKeysInput {
  readonly email: string
  readonly publicKey: string
}

export const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const scope = 'https://www.googleapis.com/auth/wallet_object.issuer'

let made = 0

/** It takes long to find the primes of a key. Two accounts that follow each other have different ones. */
const keyPairs: ReturnType<typeof newKeyPair>[] = []

const newKeyPair = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })

/** Keys of a service account, as Google writes them to a file. */
export function createServiceAccount(issuer = String(3388000000000 + ++made)): GoogleAccount {
  if (keyPairs.length < 2) keyPairs.push(newKeyPair())
  else keyPairs.reverse()
  const { privateKey, publicKey } = keyPairs.at(-1)!
  const email = `passes-${++made}@example.iam.gserviceaccount.com`
  const file = {
    type: 'service_account',
    client_email: email,
    private_key: privateKey,
    token_uri: 'http://127.0.0.1:9/is-not-used',
  }
  return { issuer, email, publicKey, serviceAccount: JSON.stringify(file) }
}

export async function startGoogleWallet(): Promise<GoogleWallet> {
  const accounts = new Map<string, GoogleAccount>()
  const stored = new Map<string, Record<string, unknown>>()
  const requests: string[] = []
  const saved = new Set<string>()
  const issued = new Map<string, GoogleAccount>()

  async function giveToken(form: URLSearchParams): Promise<[number, object]> {
    const assertion = form.get('assertion') ?? ''
    const claimed = JSON.parse(
      Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString(),
    ) as JWTPayload
    const account = accounts.get(String(claimed.iss))
    if (!account || form.get('grant_type') !== grantType) return [400, { error: 'invalid_grant' }]
    try {
      const key = await importSPKI(account.publicKey, 'RS256')
      const options = { audience: wallet.hosts.googleToken, clockTolerance: 86_400 * 400 }
      const { payload } = await jwtVerify(assertion, key, options)
      if (payload.scope !== scope || payload.exp! - payload.iat! > 3_600)
        return [400, { error: 'invalid_scope' }]
    } catch {
      return [400, { error: 'invalid_grant' }]
    }
    const token = `token-${issued.size + 1}`
    issued.set(token, account)
    return [200, { access_token: token, expires_in: 3_600, token_type: 'Bearer' }]
  }

  function write(
    method: string,
    kind: string,
    id: string | undefined,
    body: Record<string, unknown>,
    by: GoogleAccount,
  ): [number, object] {
    const name = `${kind}/${id ?? body.id}`
    if (!name.startsWith(`${kind}/${by.issuer}.`)) return [403, { error: { message: 'Not of this issuer.' } }]
    const known = stored.get(name)
    if (method === 'POST' && known) return [409, { error: { message: 'It exists.' } }]
    if (method === 'PATCH' && !known) return [404, { error: { message: 'There is none.' } }]
    if (method === 'POST' && kind === 'loyaltyObject' && !stored.has(`loyaltyClass/${body.classId}`)) {
      return [400, { error: { message: 'There is no such class.' } }]
    }
    // A patch replaces what it names, and null removes it.
    const merged = Object.entries({ ...known, ...body }).filter(([, value]) => value !== null)
    stored.set(name, Object.fromEntries(merged))
    return [200, { ...Object.fromEntries(merged), hasUsers: saved.has(String(id ?? body.id)) }]
  }

  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', async () => {
      const name = `${request.method} ${request.url}`
      requests.push(name)
      const send = ([status, body]: [number, object]) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      const failure = wallet.fail(name)
      if (failure !== undefined) return send([failure, { error: { message: `status ${failure}` } }])
      if (request.url === '/token') return send(await giveToken(new URLSearchParams(text)))
      const by = issued.get(/^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '')
      if (!by) return send([401, { error: { message: 'No token.' } }])
      const [, kind, id] =
        /^\/walletobjects\/v1\/(loyaltyClass|loyaltyObject)(?:\/([^/]+))?$/.exec(request.url!) ?? []
      if (!kind) return send([404, {}])
      send(write(request.method!, kind, id && decodeURIComponent(id), JSON.parse(text), by))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const wallet: GoogleWallet = {
    hosts: { googleApi: base, googleToken: `${base}/token` },
    stored,
    requests,
    saved,
    get tokens() {
      return issued.size
    },
    fail: () => undefined,
    createAccount() {
      const account = createServiceAccount()
      accounts.set(account.email, account)
      return account
    },
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  return wallet
}
