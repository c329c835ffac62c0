/**
 * Sends static content, plain or compressed, depending on what the client accepts. It is compressed once, in
 * advance, so no request waits for that. API responses are never compressed: the compressed size of a secret
 * next to attacker-controlled text would leak the secret.
 */
import { createHash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

export interface Content {
  readonly type: string
  readonly plain: Buffer
  readonly br?: Buffer
  readonly gzip?: Buffer
  /** Hash of the plain bytes, without quotes; compressed encodings have their own ETag. */
  readonly hash: string
}

/** In order of preference: the smaller one first. */
const encodings = ['br', 'gzip'] as const
type Encoding = (typeof encodings)[number]

export function contentOf(type: string, plain: Buffer): Content {
  return { type, plain, hash: createHash('sha256').update(plain).digest('base64url').slice(0, 22) }
}

/**
 * Compresses content that is generated at runtime. The largest, the reference page, takes 30 ms; brotli at
 * its highest quality would take over a second to save another sixth.
 */
export function compress(content: Content): Content {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 6,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.plain.length,
  }
  return {
    ...content,
    br: brotliCompressSync(content.plain, { params }),
    gzip: gzipSync(content.plain, { level: 9 }),
  }
}

export function sendContent(request: FastifyRequest, reply: FastifyReply, content: Content): FastifyReply {
  const encoding = chooseEncoding(request.headers['accept-encoding'], content)
  // Each encoding has its own ETag: a resumed download must not be assembled from two encodings.
  const etag = encoding ? `"${content.hash}-${encoding}"` : `"${content.hash}"`
  reply.header('etag', etag).header('vary', 'accept-encoding')
  if (reply.statusCode === 200 && knows(request.headers['if-none-match'], etag)) return reply.code(304).send()
  if (encoding) reply.header('content-encoding', encoding)
  return reply.header('content-type', content.type).send(encoding ? content[encoding] : content.plain)
}

/** The encoding that the client prefers among those available; undefined for the plain bytes. */
function chooseEncoding(given: string | string[] | undefined, content: Content): Encoding | undefined {
  const weights = readWeights(String(given ?? ''))
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  const [best] = encodings.filter((encoding) => content[encoding]).sort((a, b) => weightOf(b) - weightOf(a))
  if (best === undefined || weightOf(best) === 0) return undefined
  return weightOf(best) >= (weights.get('identity') ?? 0) ? best : undefined
}

/** Parses `gzip, br;q=0.5` to weights by name. */
function readWeights(given: string): Map<string, number> {
  return new Map(
    given.split(',').map((part) => {
      const [name = '', ...parameters] = part.toLowerCase().split(';')
      const weight = parameters
        .map((parameter) => /^\s*q\s*=\s*([\d.]+)\s*$/.exec(parameter)?.[1])
        .find(Boolean)
      return [name.trim(), weight === undefined ? 1 : Number(weight) || 0]
    }),
  )
}

/** Whether a list of ETags contains ours; a proxy on the way may have marked it as weak. */
function knows(given: string | undefined, etag: string): boolean {
  return given?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag) ?? false
}
