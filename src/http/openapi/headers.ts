/** The headers of requests and responses that operations share, as components of the OpenAPI document. */
import type { Json } from './name-components.ts'

const integer = { type: 'integer', minimum: 0 }
const text = { type: 'string' }
const exampleRequestId = '5f0c8a7e3b9d4c61a2f4e8d7b6c5a493'

const headers = {
  'X-Request-Id': {
    description: 'Identifies the request in the logs: the ID that you sent, or a new one.',
    required: true,
    schema: { ...text, examples: [exampleRequestId] },
  },
  'RateLimit-Policy': {
    description: 'How many requests (`q`) are allowed in how many seconds (`w`).',
    schema: { ...text, examples: ['"organization";q=1000;w=1'] },
  },
  RateLimit: {
    description: 'How many requests are left (`r`), and in how many seconds all are again (`t`).',
    schema: { ...text, examples: ['"organization";r=998;t=1'] },
  },
  'Retry-After': {
    description: 'How many seconds to wait before the request is retried.',
    required: true,
    schema: { ...integer, examples: [1] },
  },
  'Idempotent-Replayed': {
    description: 'Present if this is the response to an earlier request with the same key or receipt number.',
    schema: { ...text, const: 'true' },
  },
  'Ignored-Members': {
    description: 'What was ignored, such as typos: properties of the body, and query parameters as `?name`.',
    schema: { ...text, examples: ['?dryRun, customer.nickname'] },
  },
  'Data-Age': {
    description: 'If a read replica answered: the age of the data in seconds, at most.',
    schema: { type: 'number' },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    required: true,
    schema: { ...text, examples: ['Bearer'] },
  },
} as const

/** No component: only responses that no operation has carry it. */
export const allowHeader = {
  Allow: {
    description: 'The methods that the path supports.',
    required: true,
    schema: { ...text, examples: ['GET, HEAD, PATCH'] },
  },
}

export type HeaderName = keyof typeof headers

/** `XRequestId` for `X-Request-Id`: a component's name becomes the name of a type. */
const componentName = (name: string) => name.replaceAll('-', '')

export const headerComponents: Json = Object.fromEntries(
  Object.entries(headers).map(([name, header]) => [componentName(name), header]),
)

export const headerRefs = (names: readonly HeaderName[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${componentName(name)}` }]))

export const idempotencyHeader = {
  'idempotency-key': {
    'x-parameter': 'IdempotencyKey',
    type: 'string',
    minLength: 1,
    maxLength: 255,
    description:
      'Makes retries safe: a retry with the same key and body returns the first response. Valid for one method and path, for at least 72 hours. Refusals are not remembered.',
  },
}

export const preferHeader = {
  prefer: {
    'x-parameter': 'Prefer',
    type: 'string',
    description:
      '`handling=strict` rejects unknown properties of the body and unknown query parameters; by default they are ignored.',
    examples: ['handling=strict'],
  },
}

export const requestIdHeader = {
  'x-request-id': {
    'x-parameter': 'RequestId',
    type: 'string',
    description:
      'Your own ID of the request: 1 to 128 printable ASCII characters without spaces. Any other is replaced. The request log redacts it unless it is a UUID, ULID or trace ID.',
    examples: [exampleRequestId],
  },
}
