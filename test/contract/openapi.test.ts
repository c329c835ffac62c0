import { readFileSync } from 'node:fs'
import JsonSchema from 'typebox/schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refusals } from '../../src/domain/refusal.ts'
import { codesOf } from '../../src/http/openapi/error-responses.ts'
import {
  type Call,
  callsOf,
  type Media,
  type OpenApiDocument,
  type Schema,
} from '../../src/http/openapi/reference/document.ts'
import { startTestService, type TestService } from '../support/service.ts'

let service: TestService
let document: OpenApiDocument & { openapi: string; info: { license: { name: string } } }
let calls: Call[]

beforeAll(async () => {
  service = await startTestService()
  document = (await service.call('GET', '/openapi.json')).body
  calls = callsOf(document)
})
afterAll(() => service.close())

/**
 * Pages, what they are made of, and pages about the interface are no part of it; nor is what the enrollment page asks
 * for, nor what phones with a pass do, which Apple and Google have specified, nor what sources send.
 */
const undocumented =
  /^\/(?:openapi\.json|llms\.txt|docs.*|\*|console.*|till(?:-offline\.js)?|assets\/.*|icon\.svg|favicon\.ico|color-scheme\.js|w\/(?:offline\.js|icon-\d+\.png|:token(?:\/(?:pass\.pkpass|google-pass|codes|sessions|contacts\/confirm|profile|download|erase))?)|passes\/:organization\/.*|inbound\/:token|u\/:token|j\/:name(?:\/(?:page|customers|link))?)?$/

/** The operations of which the check fails, so that a failure names them all. */
const failing = (check: (call: Call) => boolean) =>
  calls.filter((call) => !check(call)).map((call) => call.operationId)

describe('the OpenAPI document', () => {
  test('has the shape of OpenAPI 3.1', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.info).toMatchObject({ title: 'Loyalty Wallet', license: { name: 'MIT' } })
    for (const path of Object.keys(document.paths)) expect(path).toMatch(/^(?:\/(?:[\w.-]+|\{\w+\}))+$/)
    for (const { method } of calls) expect(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).toContain(method)
    for (const name of Object.keys(document.components.schemas)) expect(name).toMatch(/^[A-Za-z0-9._-]+$/)
  })

  test('describes every operation, parameter, schema and property', () => {
    expect(failing(({ description }) => (description?.length ?? 0) >= 10)).toEqual([])
    expect(
      failing(({ parameters = [] }) => parameters.every(({ description }) => description !== undefined)),
    ).toEqual([])
    const { schemas } = document.components
    const described = ({ $ref, description }: Schema): boolean =>
      description !== undefined || ($ref !== undefined && described(resolve($ref) as Schema))
    const missing: string[] = []
    const visit = (value: unknown, place: string): void => {
      if (typeof value !== 'object' || value === null) return
      for (const [name, inner] of Object.entries(value)) {
        if (['example', 'examples', 'enum', 'default'].includes(name)) continue
        if (name !== 'properties') visit(inner, `${place}.${name}`)
        else
          for (const [property, schema] of Object.entries(inner as Record<string, Schema>)) {
            // The codes of an operation narrow a property that is described with the error itself.
            const isNarrowed = property === 'message' && schema.enum !== undefined
            if (!described(schema) && !isNarrowed) missing.push(`${place}.${property}`)
            visit(schema, `${place}.${property}`)
          }
      }
    }
    visit(schemas, '')
    visit(document.paths, '')
    expect(missing).toEqual([])
    expect(Object.entries(schemas).filter(([, schema]) => schema.enum && !schema.description)).toEqual([])
  })

  test('says what each value of a closed list means', () => {
    const lists = Object.entries(document.components.schemas).filter(([, schema]) => schema.enum)
    expect(lists.map(([name]) => name)).toEqual(
      expect.arrayContaining([
        'CardStatus',
        'CouponStatus',
        'CustomerStatus',
        'ErrorCode',
        'LedgerEntryKind',
        'SkipReason',
        'TransactionStatus',
      ]),
    )
    for (const [name, schema] of lists) {
      const { 'x-enum-descriptions': meanings = [], 'x-enum-varnames': names } = schema as Schema & {
        'x-enum-descriptions'?: string[]
        'x-enum-varnames'?: string[]
      }
      expect(meanings.filter(Boolean), name).toHaveLength(schema.enum!.length)
      if (schema.type === 'integer') expect(names, name).toHaveLength(schema.enum!.length)
    }
    const unnamed: string[] = []
    const visit = (value: unknown, place: string): void => {
      if (typeof value !== 'object' || value === null) return
      const { anyOf = [] } = value as Schema
      if (anyOf.length > 1 && anyOf.every((branch) => branch.const !== undefined)) unnamed.push(place)
      for (const [name, inner] of Object.entries(value)) visit(inner, `${place}.${name}`)
    }
    visit(document, '')
    expect(unnamed).toEqual([])
  })

  test('uses no condition, no format of our own, and no name that is taken', () => {
    const text = JSON.stringify({ ...document.paths, ...document.components.schemas })
    expect(text).not.toMatch(/"(?:if|then|else|not|dependentRequired)":[{[]/)
    const used = new Set([...text.matchAll(/"format":"([^"]+)"/g)].map(([, format]) => format))
    expect([...used]).toEqual(['date-time'])
    const taken = [...Object.getOwnPropertyNames(globalThis), ...namesInBrowsers]
    expect(Object.keys(document.components.schemas).filter((name) => taken.includes(name))).toEqual([])
  })

  test('has every parameter, list, response header and example as a component, and none of them twice', () => {
    const { components } = document
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
    const parameters = operations.flatMap((operation) => operation.parameters ?? [])
    const replies = [
      ...operations.flatMap(({ responses }) => Object.values(responses)),
      ...Object.values(components.responses),
    ]
    const media = [...operations.map(({ requestBody }) => requestBody), ...replies].flatMap((item) =>
      Object.values(item?.content ?? {}),
    )
    const shared = {
      parameters,
      headers: replies.flatMap(({ headers = {} }) => Object.values(headers)),
      examples: media.flatMap(({ examples = {} }) => Object.values(examples)),
    }
    for (const [kind, used] of Object.entries(shared)) {
      const known = components[kind as keyof typeof shared]
      const places = Object.keys(known).map((name) => `#/components/${kind}/${name}`)
      expect(places.length, kind).toBeGreaterThan(5)
      expect(used.filter(({ $ref }) => $ref === undefined || !places.includes($ref))).toEqual([])
      const texts = Object.values(known).map((component) => JSON.stringify(component))
      expect(texts.filter((text, i) => texts.indexOf(text) !== i)).toEqual([])
    }
    const isInline = ({ example, schema }: Media) => example !== undefined || schema?.examples !== undefined
    expect(media.filter(isInline)).toEqual([])
    for (const { operationId, responses } of calls) {
      for (const [status, reply] of Object.entries(responses)) {
        expect(Object.keys(reply.headers ?? {}), `${operationId} ${status}`).toContain('X-Request-Id')
        for (const { schema } of Object.values(reply.content ?? {}))
          if (schema?.properties) expect(Object.keys(schema.properties), operationId).not.toContain('data')
      }
    }
  })

  test('names a parameter after what it is of, and never like a schema', () => {
    const { parameters, schemas } = document.components
    const names = Object.keys(parameters)
    for (const name of names) expect(name).toMatch(/^(?:[A-Z][a-z]+)+$/)
    // Generators make a type of each.
    expect(names.filter((name) => name in schemas)).toEqual([])
    expect(names).toEqual(expect.arrayContaining(['ApiKey', 'CustomersStatusFilter', 'TransactionsFrom']))
  })

  test('names no error after the codes it can have', () => {
    const { responses, schemas } = document.components
    expect(Object.keys(responses)).toEqual([
      'BadRequest',
      'Unauthorized',
      'Forbidden',
      'NotFound',
      'Conflict',
      'Gone',
      'ContentTooLarge',
      'UnsupportedMediaType',
      'UnprocessableContent',
      'TooManyRequests',
      'InternalServerError',
      'ServiceUnavailable',
    ])
    expect(Object.keys(schemas).filter((name) => /error/i.test(name))).toEqual(['ApiError', 'ErrorCode'])
    expect(schemas.ErrorCode!.enum).toEqual(Object.keys(refusals))
  })

  test('tells the kinds of a union apart by a constant, and accepts the same registrations as the service', async () => {
    const { Action } = document.components.schemas as Record<string, Schema & { discriminator?: object }>
    expect(Action!.discriminator).toMatchObject({ propertyName: 'type' })
    expect(Action!.oneOf).toHaveLength(9)
    const schema = JsonSchema.Compile({
      $ref: '#/components/schemas/Registration',
      components: document.components,
    } as never)
    const merchant = await service.createMerchant()
    const campaignId = await merchant.publishCampaign()
    const { customer } = await merchant.register(campaignId)
    const tried: unknown[] = [
      { id: customer },
      { id: customer, data: 5, metaData: 'x', consents: [] },
      { id: customer, data: { phone: 7 } },
      { data: {} },
      { data: { email: 'agree@example.com' }, consents: { marketing: true }, unknown: 1 },
      { data: { fullname: 7 } },
      { data: {}, metaData: 'x' },
      { data: {}, opaqueId: 7 },
      { id: 7 },
      { id: 7, data: {} },
      { id: null, data: {} },
      {},
      'x',
      null,
    ]
    for (const who of tried) {
      const body = { campaignId, customer: who }
      const { status } = await merchant.call('POST', '/v1/customers/register', body)
      expect([JSON.stringify(who), status === 201]).toEqual([
        JSON.stringify(who),
        schema.Check(body as never),
      ])
    }
  })

  test('is what the routes say of themselves', () => {
    const ofRoutes = JSON.parse(JSON.stringify(service.app.swagger()))
    expect(document, 'openapi.json is stale. Run: npm run generate').toEqual(ofRoutes)
  })

  test('has the version of the package', () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(document.info.version).toBe(version)
  })

  test('describes every route there is, and no other', async () => {
    const answered: string[] = []
    for (const { method, url } of routesOf(service.app.printRoutes({ commonPrefix: false }))) {
      // HEAD goes with every GET and says nothing of its own.
      if (undocumented.test(url) || method === 'HEAD') continue
      const { status } = await service.call(method as 'GET', url.replaceAll(':id', 'none'))
      if (status !== 405) answered.push(`${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`)
    }
    expect(calls.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(answered.sort())
  })

  test('gives every operation an id of its own, a summary and a known tag', () => {
    expect(failing(({ operationId }) => /^[a-z][A-Za-z]+$/.test(operationId))).toEqual([])
    expect(new Set(calls.map(({ operationId }) => operationId)).size).toBe(calls.length)
    expect(failing(({ summary }) => summary?.length > 5 && !summary.endsWith('.'))).toEqual([])
    const known = document.tags.map(({ name }) => name)
    expect(failing(({ tags }) => tags?.length === 1 && known.includes(tags[0]!))).toEqual([])
  })

  test('names every parameter of a path', () => {
    const inPath = ({ path }: Call) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const described = ({ parameters = [] }: Call) =>
      parameters
        .filter((parameter) => parameter.in === 'path' && parameter.required)
        .map((parameter) => parameter.name)
    expect(failing((call) => inPath(call).join() === described(call).join())).toEqual([])
  })

  test('shows an example of every body and of every reply that is no error', () => {
    expect(failing(({ requestBody }) => !requestBody || hasExample(requestBody.content))).toEqual([])
    expect(
      failing(({ responses }) => {
        const good = Object.entries(responses).filter(([status]) => status.startsWith('2'))
        const isShown = ([status, { content }]: (typeof good)[number]) =>
          status === '204' ? content === undefined : content && hasExample(content)
        return good.length > 0 && good.every(isShown)
      }),
    ).toEqual([])
  })

  test('shows examples that fit their own schemas', () => {
    const wrong = calls.flatMap(({ operationId, requestBody, responses }) => {
      const contents = [requestBody, ...Object.values(responses)].flatMap((item) => item?.content ?? [])
      const media = contents.flatMap((content) => Object.values(content))
      return media.flatMap((type) => problemOf(type) ?? []).map((problem) => `${operationId}: ${problem}`)
    })
    expect(wrong).toEqual([])
  })

  test('requires a body only where one of its members is required', async () => {
    const withBody = calls.filter(({ requestBody }) => requestBody)
    const names = (isRequired: boolean) =>
      withBody
        .filter((operation) => operation.requestBody!.required === isRequired)
        .map((operation) => operation.operationId)
    expect(names(true)).toEqual(
      expect.arrayContaining(['createCustomer', 'processTransaction', 'createCampaign']),
    )
    expect(names(false)).toEqual(
      expect.arrayContaining(['returnTransaction', 'publishCampaign', 'patchCustomer', 'eraseCustomer']),
    )
    expect([...names(true), ...names(false)]).toHaveLength(withBody.length)
  })

  test('names the header Prefer where it decides about unknown members', () => {
    const named = calls.filter(({ parameters = [] }) => parameters.some(({ name }) => name === 'prefer'))
    const tills = calls.filter(
      ({ requestBody, security = [] }) =>
        requestBody &&
        (security.length === 0 || security.some((requirement) => requirement.bearer?.includes('pos'))),
    )
    expect(named.map(({ operationId }) => operationId)).toEqual(tills.map(({ operationId }) => operationId))
    expect(named.length).toBeGreaterThan(4)
  })

  test('lists the errors of every operation, all of them codes we have', () => {
    for (const call of calls) {
      const replies = Object.entries(call.responses).filter(([status]) => Number(status) >= 400)
      expect(replies.map(([status]) => status)).toEqual(expect.arrayContaining(['400', '500', '503']))
      for (const [, reply] of replies) {
        const target = reply.$ref ? resolve(reply.$ref) : reply
        const codes = codesOf(target as never)
        expect(codes.length, call.operationId).toBeGreaterThan(0)
        expect(Object.keys(refusals)).toEqual(expect.arrayContaining(codes))
      }
    }
  })

  test('says who may call: nobody in particular, whoever signed in, a scope, or the operator', () => {
    const named = (of: Call[]) => of.map(({ method, path }) => `${method} ${path}`).sort()
    expect(named(calls.filter(({ security = [] }) => security.length === 0))).toEqual([
      'DELETE /auth/session',
      'GET /livez',
      'GET /metrics',
      'GET /readyz',
      'GET /w/{token}/card',
      'GET /w/{token}/code128.svg',
      'GET /w/{token}/icon.svg',
      'GET /w/{token}/link',
      'GET /w/{token}/manifest.webmanifest',
      'GET /w/{token}/qr.svg',
      'GET /w/{token}/visits',
      'GET /w/{token}/visits/{id}',
      'POST /auth/forgotten-password',
      'POST /auth/invitation',
      'POST /auth/refreshtoken',
      'POST /auth/session',
      'POST /auth/token',
      'POST /w/{token}/link',
    ])
    expect(
      named(
        calls.filter(({ security }) => security?.some((requirement) => requirement.session?.length === 0)),
      ),
    ).toEqual([
      'DELETE /auth/sessions',
      'GET /auth/session',
      'POST /auth/password',
      'POST /auth/session/organization',
    ])
    const scopesOf = ({ security = [] }: Call, scheme: string) =>
      security.flatMap((requirement) => requirement[scheme] ?? [])
    for (const call of calls.filter(({ path }) => path.startsWith('/v1/'))) {
      const ofPeople = scopesOf(call, 'session')
      expect(ofPeople.length).toBeGreaterThan(0)
      expect(scopesOf(call, 'bearer')).toEqual(ofPeople.filter((scope) => scope !== 'people'))
    }
    const operators = calls.filter(({ security }) =>
      security?.some((requirement) => 'operator' in requirement),
    )
    expect(operators.every(({ path }) => path.startsWith('/admin/'))).toBe(true)
    expect(calls.filter(({ path }) => path.startsWith('/admin/'))).toEqual(operators)
  })

  test('refers only to components it has, and has none that nobody refers to', () => {
    const used = new Set([...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref!))
    for (const ref of used) expect(resolve(ref), ref).toBeDefined()
    for (const kind of ['schemas', 'responses', 'parameters', 'headers', 'examples'] as const) {
      for (const name of Object.keys(document.components[kind])) {
        expect(used, `${kind} ${name}`).toContain(`#/components/${kind}/${name}`)
      }
    }
  })
})

describe('the reference page', () => {
  test('is one page without anything from elsewhere, inline style or inline script', async () => {
    const { status, body, headers } = await service.call('GET', '/docs')
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(headers['content-security-policy']).not.toContain('unsafe')
    expect(body).not.toMatch(/ style=| on[a-z]+="|<script>|<style/)
    expect(body).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
  })

  test('loads the style and the script it names', async () => {
    const { body } = await service.call('GET', '/docs')
    const files = [...body.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)].map(([, path]) => path)
    expect(files).toEqual(expect.arrayContaining(['/docs/reference.css', '/docs/reference.js']))
    for (const path of files) expect((await service.call('GET', path)).status).toBe(200)
    // The search, which is loaded when a reader goes to it.
    for (const id of ['search', 'results', 'menu']) expect(body).toContain(` id="${id}"`)
    for (const path of ['/docs/search.js', '/docs/search-index.js'])
      expect((await service.call('GET', path)).headers['content-type']).toMatch(/^text\/javascript/)
  })

  test('shows the address it was asked at, and may be kept for an hour', async () => {
    const shown = async (host: string) => {
      const { body } = await service.call('GET', '/docs', { headers: { host } })
      return /BASE=(\S+)/.exec(body)?.[1]
    }
    expect(await shown('loyalty.example.com:8443')).toBe('http://loyalty.example.com:8443')
    expect(await shown('[::1]:8080')).toBe('http://[::1]:8080')
    expect(await shown('x;rm<script>')).not.toMatch(/script|rm/)
    for (const path of ['/docs', '/docs/reference.css', '/docs/reference.js'])
      expect((await service.call('GET', path)).headers['cache-control']).toMatch(/max-age=3600$/)
  })

  test('leads to the guides, the errors and the changelog, which are pages like it', async () => {
    const { body } = await service.call('GET', '/docs')
    const pages = [...new Set([...body.matchAll(/href="(\/docs\/[a-z/-]+)"/g)].map(([, path]) => path!))]
    expect(pages.length).toBeGreaterThan(20)
    for (const path of pages) {
      const page = await service.call('GET', path)
      expect([path, page.status, page.headers['content-type']]).toEqual([
        path,
        200,
        'text/html; charset=utf-8',
      ])
      expect(page.headers['content-security-policy']).toContain("default-src 'none'")
      expect(page.body).not.toMatch(/ style=| on[a-z]+="|<script>|<style|src="(?:https?:)?\/\//)
      const ids = new Set([...page.body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
      const dead = [...page.body.matchAll(/ href="#([^"]+)"/g)]
        .map(([, id]) => id)
        .filter((id) => !ids.has(id))
      expect(dead, path).toEqual([])
      const inside = [...page.body.matchAll(/ href="(\/docs[^"#]*)/g)].map(([, href]) => href!)
      for (const href of new Set(inside)) expect((await service.call('GET', href)).status, href).toBe(200)
    }
    const errors = (await service.call('GET', '/docs/errors')).body
    for (const code of Object.keys(refusals)) expect(errors).toContain(`id="${code}"`)
  })

  test('has an anchor for every operation and no link that leads nowhere', async () => {
    const { body } = await service.call('GET', '/docs')
    const ids = new Set([...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
    for (const { operationId } of calls) expect(ids).toContain(operationId)
    const dead = [...body.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id).filter((id) => !ids.has(id))
    expect([...new Set(dead)]).toEqual([])
  })

  test('names the alternatives of a property, also where something else holds for all of them', async () => {
    const { body } = await service.call('GET', '/docs')
    const [, type] = /<code class="name">customer<\/code> <span class="type">(.*?)<\/span>/.exec(body) ?? []
    expect(type).toBe(
      '<a href="#schema-NewCustomer">NewCustomer</a> or <a href="#schema-ExistingCustomer">ExistingCustomer</a>',
    )
  })

  test('shows a call for the shell with every operation', async () => {
    const { body } = await service.call('GET', '/docs')
    expect(body.match(/<h4>Request<\/h4>\s*<pre class="shell" tabindex="0"><code>curl /g)).toHaveLength(
      calls.length,
    )
    expect(body).not.toMatch(/undefined|\[object Object\]/)
  })
})

/** Names of types that a page would lose if a generated client had its own. */
const namesInBrowsers = [
  'Item',
  'Return',
  'Session',
  'When',
  'Document',
  'Element',
  'History',
  'Location',
  'Node',
  'Notification',
  'Option',
  'Range',
  'Report',
  'Selection',
  'Text',
  'Window',
]

/** Reads the tree that Fastify draws of its routes. */
function routesOf(tree: string): { method: string; url: string }[] {
  const above: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', part, methods] = /^([│ ]*)[├└]── (\S+)(?: \((.*)\))?$/.exec(line) ?? []
    if (part === undefined) return []
    const depth = indent.length / 4
    above.splice(depth, above.length, part)
    return (methods ?? '').split(', ').flatMap((method) => (method ? { method, url: above.join('') } : []))
  })
}

function hasExample(content: Record<string, Media>): boolean {
  return Object.values(content).every(
    ({ example, schema }) => (example ?? schema?.examples?.[0]) !== undefined,
  )
}

function problemOf({ schema, example }: Media): string | undefined {
  if (schema === undefined || example === undefined) return undefined
  const whole = { ...schema, components: document.components }
  if (JsonSchema.Check(whole as never, example as never)) return undefined
  return JSON.stringify(JsonSchema.Errors(whole as never, example as never)[1].slice(0, 3))
}

function resolve(ref: string): unknown {
  return ref
    .replace(/^#\//, '')
    .split('/')
    .reduce((value: unknown, part) => (value as Record<string, unknown> | undefined)?.[part], document)
}
