/**
 * Renders an operation as a curl command. IDs from the examples become variables, so that the command works
 * as pasted once `$BASE`, `$TOKEN` and the IDs in it are set.
 */
import type { Call } from './document.ts'

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
  lwr: 'REFRESH_TOKEN',
  lwi: 'INVITATION',
}

export function curlOf(call: Call): string {
  const { method, parameters = [] } = call
  const path = call.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    const example = parameters.find(
      (parameter) => parameter.in === 'path' && parameter.name === name,
    )?.example
    return withVariables(String(example ?? `{${name}}`))
  })
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  const lines = [`curl ${methodFlag(method, query.length > 0)}"$BASE${path}"`]
  for (const { name, example } of query) lines.push(`--data-urlencode '${name}=${example}'`)
  lines.push(...authentication(call))
  const body = call.requestBody?.content['application/json']?.example
  if (body === undefined) return lines.join(' \\\n  ')
  lines.push(`-H 'content-type: application/json'`)
  const json = JSON.stringify(body, undefined, 2)
  const text = withVariables(json)
  if (text === json) return [...lines, `-d '${compact(body).replaceAll("'", `'\\''`)}'`].join(' \\\n  ')
  return `${[...lines, '-d @- <<JSON'].join(' \\\n  ')}\n${text}\nJSON`
}

function methodFlag(method: string, hasQuery: boolean): string {
  if (method === 'GET') return hasQuery ? '-G ' : ''
  return `-X ${method} `
}

function authentication({ operationId, security = [] }: Call): string[] {
  if (operationId === 'issueToken') return [`-H "x-api-key: $API_KEY"`, `-H "x-api-secret: $API_SECRET"`]
  if (security.length === 0) return []
  if (!security.some((requirement) => 'operator' in requirement || 'bearer' in requirement))
    return [`-b "lw_session=$SESSION"`]
  const isOperator = security.some((requirement) => 'operator' in requirement)
  return [`-H "authorization: Bearer ${isOperator ? '$ADMIN_TOKEN' : '$TOKEN'}"`]
}

function withVariables(text: string): string {
  return text
    .replaceAll(/\b([a-z]{3,4})_(?:[0-9a-f]{32}|[\w-]{40,})/g, (id, prefix: string) =>
      variables[prefix] ? `$${variables[prefix]}` : id,
    )
    .replaceAll(/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, '$TOKEN')
}

function compact(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length <= 70 ? text : JSON.stringify(value, undefined, 2)
}
