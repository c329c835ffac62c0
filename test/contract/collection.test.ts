import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../support/service.ts'

let service: TestService
let operations: string[]

beforeAll(async () => {
  service = await startTestService()
  const { body } = await service.call('GET', '/openapi.json')
  const methods = ['get', 'post', 'put', 'patch', 'delete']
  operations = Object.entries<object>(body.paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => methods.includes(method))
      .map((method) => `${method.toUpperCase()} ${path}`),
  )
})
afterAll(() => service.close())

test('the collection for Postman has every operation, and no ID of an example', async () => {
  const { body, text } = await service.call('GET', '/docs/postman.json')
  const requests = body.item.flatMap(({ item }: { item: { request: Sent }[] }) => item)
  const found = requests.map(
    ({ request: { method, url } }: { request: Sent }) =>
      `${method} /${url.path.join('/').replaceAll(/:(\w+)/g, '{$1}')}`,
  )
  expect(found.toSorted()).toEqual(operations.toSorted())
  expect(text).not.toMatch(/"(?:cus|card|txn|cmp)_[0-9a-f]{32}"/)
})

interface Sent {
  readonly method: string
  readonly url: { readonly path: readonly string[] }
}

test('llms.txt names every operation and leads to pages that are there', async () => {
  const { text, headers } = await service.call('GET', '/llms.txt')
  expect(headers['content-type']).toBe('text/plain; charset=utf-8')
  for (const operation of operations) expect(text).toContain(`[${operation}](/docs#`)
  const pages = [...text.matchAll(/\]\((\/[^)#]*)\)/g)].map(([, path]) => path!)
  expect(pages.length).toBeGreaterThan(9)
  for (const path of pages) expect((await service.call('GET', path)).status, path).toBe(200)
})
