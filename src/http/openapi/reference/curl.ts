/**
 * Renders an operation as a curl command. What differs between two runs becomes a variable: IDs, secrets, and
 * what has to be unique, such as a receipt number. The variables are set by earlier examples (`pasting.ts`).
 */
import type { Call } from './document.ts'
import { keptValues } from './pasting.ts'

const variables: Record<string, string> = {
  cus: 'CUSTOMER',
  card: 'CARD',
  cmp: 'CAMPAIGN',
  txn: 'TRANSACTION',
  cpn: 'COUPON',
  org: 'ORGANIZATION',
  int: 'INTEGRATION',
  con: 'CONNECTION',
  prd: 'PRODUCT',
  brn: 'BRANCH',
  usr: 'USER_ID',
  psn: 'PERSON',
  req: 'REQUEST',
  whk: 'WEBHOOK',
  dlv: 'DELIVERY',
  msg: 'MESSAGE',
  imp: 'IMPORT',
  src: 'SOURCE',
  rcv: 'RECEIVED',
  lwr: 'REFRESH_TOKEN',
  lwi: 'INVITATION',
}

const opensSession = ['signIn', 'acceptInvitation']
const usesSession = ['signOut']
const inTestOrganization = ['getTestClock', 'advanceTestClock']

export function curlOf(call: Call): string {
  const { operationId, method, parameters = [] } = call
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  const kept = Object.entries(keptValues[operationId] ?? {})
  // Without `-s`, curl reports its progress when the response goes to another command.
  const flags = [...(kept.length > 0 ? ['-s'] : []), ...methodFlags(method, query.length > 0)]
  const lines = [['curl', ...flags, `"${addressOf(call)}"`].join(' ')]
  for (const { name, example } of query)
    lines.push(`--data-urlencode "${name}=${withVariables(String(example))}"`)
  lines.push(...authentication(call))
  const body = call.requestBody?.content['application/json']?.example
  const [data, input] = body === undefined ? [] : bodyOf(body)
  if (data !== undefined) lines.push(`-H 'content-type: application/json'`, data)
  const command = `${lines.join(' \\\n  ')}${kept.length > 0 ? ' | tee "$REPLY"' : ''}`
  const picks = kept.map(([name, place]) => `${name}=$(pick ${quoted(place)})`)
  return [command, ...(input ?? []), ...picks].join('\n')
}

function methodFlags(method: string, hasQuery: boolean): string[] {
  if (method === 'GET') return hasQuery ? ['-G'] : []
  return ['-X', method]
}

function addressOf(call: Call): string {
  const { path, parameters = [] } = call
  // A wallet page is at the address that its card has.
  const address = path.startsWith('/w/{token}') ? path.replace('/w/{token}', '$WALLET') : `$BASE${path}`
  return address.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    const { example } = parameters.find((item) => item.in === 'path' && item.name === name) ?? {}
    return variableInPath(call) ?? withVariables(String(example ?? `{${name}}`))
  })
}

/** The customer and the campaign of the other examples have to stay as they are. */
function variableInPath({ operationId, tags }: Call): string | undefined {
  if (operationId === 'eraseCustomer') return '$OTHER_CUSTOMER'
  if (tags.includes('Test mode')) return '$TEST_ORGANIZATION'
  return tags.includes('Campaigns') ? '$NEW_CAMPAIGN' : undefined
}

function authentication({ operationId, security = [] }: Call): string[] {
  if (operationId === 'issueToken') return [`-H "x-api-key: $API_KEY"`, `-H "x-api-secret: $API_SECRET"`]
  if (opensSession.includes(operationId)) return [`-c "$COOKIES"`]
  if (usesSession.includes(operationId)) return [`-b "$COOKIES"`]
  if (security.length === 0) return []
  if (!security.some((requirement) => 'operator' in requirement || 'bearer' in requirement))
    return [`-b "$COOKIES"`]
  if (inTestOrganization.includes(operationId)) return [`-H "authorization: Bearer $(test_token)"`]
  const isOperator = security.some((requirement) => 'operator' in requirement)
  return [`-H "authorization: Bearer ${isOperator ? '$ADMIN_TOKEN' : '$TOKEN'}"`]
}

/** The option, and the lines after the command if the body has variables in it. */
function bodyOf(body: unknown): [data: string, input?: string[]] {
  const text = withVariables(readable(body))
  if (text !== readable(body)) return ['-d @- <<JSON', [text, 'JSON']]
  return [`-d '${text.replaceAll("'", `'\\''`)}'`]
}

function withVariables(text: string): string {
  return text
    .replaceAll(/\b([a-z]{3,4})_(?:[0-9a-f]{32}|[\w-]{40,})/g, (id, prefix: string) =>
      variables[prefix] ? `$${variables[prefix]}` : id,
    )
    .replaceAll(/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '$TOKEN')
    .replaceAll(/\+1 ?202 ?555 ?0123\b/g, '$PHONE')
    .replaceAll(/\b(T1|crm|sku|store|cash)-\d+/g, '$1-$$RUN')
    .replaceAll(/\b([a-z]+)@example\.com\b/g, '$1-$$RUN@example.com')
}

/** Quotes what a shell would take for a pattern. */
const quoted = (text: string) => (/^[\w.]+$/.test(text) ? text : `'${text}'`)

function readable(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length <= 70 ? text : JSON.stringify(value, undefined, 2)
}
