// Makes of openapi.json what other tools read: a collection of requests for Postman, which Bruno and Insomnia import
// as well, and llms.txt, which tells language models where to find what.

const methods = ['get', 'post', 'put', 'patch', 'delete']

/** The operations by tag, in the order of the document. */
function byTag({ paths, tags }) {
  const found = new Map(tags.map(({ name }) => [name, []]))
  for (const [path, item] of Object.entries(paths))
    for (const method of methods)
      if (item[method]) found.get(item[method].tags[0]).push({ path, method, ...item[method] })
  return [...found].filter(([, operations]) => operations.length > 0)
}

export function describePostman(document) {
  return {
    info: {
      name: `${document.info.title} ${document.info.version}`,
      description:
        'Set `baseUrl`, `apiKey` and `apiSecret`, then send "Exchange an API key and an API secret for a token": it keeps the token for the other requests. IDs are kept, too: what you created or listed last is what the next request is about.',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{accessToken}}', type: 'string' }] },
    event: [keepIds],
    variable: [
      { key: 'baseUrl', value: 'http://127.0.0.1:8080' },
      { key: 'apiKey', value: '' },
      { key: 'apiSecret', value: '' },
      { key: 'accessToken', value: '' },
    ],
    item: byTag(document).map(([name, operations]) => ({
      name,
      item: operations.map((operation) => toRequest(operation, document)),
    })),
  }
}

function toRequest(operation, document) {
  const { path, method, summary, description, requestBody, security = [] } = operation
  const parameters = (operation.parameters ?? []).map((item) => resolve(item, document))
  const body = exampleOf(requestBody, document)
  const query = parameters.filter((item) => item.in === 'query')
  const segments = path
    .slice(1)
    .split('/')
    .map((part) => part.replace(/^\{(\w+)\}/, ':$1'))
  const shown = query
    .filter(({ required }) => required)
    .map(({ name, example }) => `${name}=${encodeURIComponent(example ?? '')}`)
  return {
    name: summary,
    ...(operation.operationId === 'issueToken' && { event: [keepToken] }),
    request: {
      method: method.toUpperCase(),
      description,
      ...(security.length === 0 && { auth: { type: 'noauth' } }),
      header: [
        ...(body === undefined ? [] : [{ key: 'content-type', value: 'application/json' }]),
        ...credentialHeaders(parameters),
      ],
      url: {
        raw: `{{baseUrl}}/${segments.join('/')}${shown.length > 0 ? `?${shown.join('&')}` : ''}`,
        host: ['{{baseUrl}}'],
        path: segments,
        query: query.map(({ name, example, required, description: about }) => ({
          key: name,
          value: withVariables(String(example ?? '')),
          description: about,
          disabled: required !== true,
        })),
        variable: parameters
          .filter((item) => item.in === 'path')
          .map(({ name, example, description: about }) => ({
            key: name,
            value: withVariables(String(example ?? '')),
            description: about,
          })),
      },
      ...(body !== undefined && { body: { mode: 'raw', raw: withVariables(JSON.stringify(body, null, 2)) } }),
    },
  }
}

/** The IDs of examples, by what they are of: `cus` for customers. */
const withVariables = (text) => text.replaceAll(/\b([a-z]{3,4})_[0-9a-f]{32}\b/g, '{{$1}}')

const keepIds = {
  listen: 'test',
  script: {
    type: 'text/javascript',
    exec: [
      'const keep = ({ id }) => /^[a-z]{3,4}_/.test(id) && pm.collectionVariables.set(id.split("_")[0], id)',
      'const isJson = /json/.test(pm.response.headers.get("content-type"))',
      'const body = isJson && pm.response.code < 300 ? pm.response.json() : {}',
      ';[body, ...(body.cards ?? []), ...(body.data ?? []).slice(0, 1)].forEach(keep)',
    ],
  },
}

const keepToken = {
  listen: 'test',
  script: {
    type: 'text/javascript',
    exec: ['pm.collectionVariables.set("accessToken", pm.response.json().accessToken)'],
  },
}

const credentialHeaders = (parameters) =>
  parameters
    .filter((item) => item.in === 'header' && /^x-api-/i.test(item.name))
    .map(({ name }) => ({ key: name, value: /secret/i.test(name) ? '{{apiSecret}}' : '{{apiKey}}' }))

function resolve(item, document) {
  if (!item.$ref) return item
  return item.$ref
    .slice(2)
    .split('/')
    .reduce((value, key) => value[key], document)
}

function exampleOf(requestBody, document) {
  const content = requestBody?.content['application/json']
  const [example] = Object.values(content?.examples ?? {})
  return example === undefined ? content?.example : resolve(example, document).value
}

/** By the proposal of llmstxt.org: what it is, and links with a line about each. */
export function describeForModels(document, pages) {
  const operations = byTag(document).map(
    ([tag, list]) =>
      `## ${tag}\n\n${list
        .map(
          ({ method, path, operationId, summary }) =>
            `- [${method.toUpperCase()} ${path}](/docs#${operationId}): ${summary}`,
        )
        .join('\n')}`,
  )
  const guides = pages.map(({ path, title }) => `- [${title}](/docs/${path})`).join('\n')
  return `# ${document.info.title}

> ${document.info.description.split('\n', 1)[0]}

An integration exchanges an API key and an API secret for a token (POST /auth/token), registers customers into a campaign, and sends each sale as one transaction: validate shows what would happen, process does it, and the receipt number (opaqueId) makes repeating safe. Charge \`totals.due\` of the response.

- [The API as an OpenAPI 3.1 document](/openapi.json): every operation, schema and error code
- [The API reference](/docs): the same for people, with commands to paste
- [A collection for Postman, Bruno and Insomnia](/docs/postman.json)

## Guides

${guides}

${operations.join('\n\n')}
`
}
