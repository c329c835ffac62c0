/**
 * Sends what is the same for everybody, as it is or compressed, whichever the reader takes. It is compressed
 * once, beforehand: no call waits for that. Replies of the API are never compressed, since how well a secret
 * packs beside text of an attacker would tell of it.
 */
import { createHash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

export interface Content {
  readonly type: string
  readonly plain: Buffer
  readonly br?: Buffer
  readonly gzip?: Buffer
  /** Of the bytes as they are, without quotes; what is sent compressed has a mark of its own. */
  readonly hash: string
}

/** In the order of our own preference: the smaller first. */
const encodings = ['br', 'gzip'] as const
type Encoding = (typeof encodings)[number]

export function contentOf(type: string, plain: Buffer): Content {
  return { type, plain, hash: createHash('sha256').update(plain).digest('base64url').slice(0, 22) }
}

/**
 * For what is written when the service runs. The largest, the reference page, takes 30 ms; the best quality of
 * brotli would take over a second for a sixth less.
 */
export function compress(content: Content): Content {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 6,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.plain.length,
  }
  return { ...content, br: brotliCompressSync(content.plain, { params }), gzip: gzipSync(content.plain) }
}

export function sendContent(request: FastifyRequest, reply: FastifyReply, content: Content): FastifyReply {
  const encoding = chooseEncoding(request.headers['accept-encoding'], content)
  // Other bytes, other mark: a download that is resumed must not be pieced together from two encodings.
  const etag = encoding ? `"${content.hash}-${encoding}"` : `"${content.hash}"`
  reply.header('etag', etag).header('vary', 'accept-encoding')
  if (reply.statusCode === 200 && knows(request.headers['if-none-match'], etag)) return reply.code(304).send()
  if (encoding) reply.header('content-encoding', encoding)
  return reply.header('content-type', content.type).send(encoding ? content[encoding] : content.plain)
}

/** What the reader likes best of what there is; undefined for the bytes as they are. */
function chooseEncoding(given: string | string[] | undefined, content: Content): Encoding | undefined {
  const weights = readWeights(String(given ?? ''))
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0
  const [best] = encodings.filter((one) => content[one]).sort((a, b) => weightOf(b) - weightOf(a))
  if (best === undefined || weightOf(best) === 0) return undefined
  return weightOf(best) >= (weights.get('identity') ?? 0) ? best : undefined
}

/** `gzip, br;q=0.5` as weights by name. */
function readWeights(given: string): Map<string, number> {
  return new Map(
    given.split(',').map((part) => {
      const [name = '', ...parameters] = part.toLowerCase().split(';')
      const weight = parameters.map((one) => /^\s*q\s*=\s*([\d.]+)\s*$/.exec(one)?.[1]).find(Boolean)
      return [name.trim(), weight === undefined ? 1 : Number(weight) || 0]
    }),
  )
}

/** A list of marks, some of which a proxy on the way may have called weak. */
function knows(given: string | undefined, etag: string): boolean {
  return given?.split(',').some((one) => one.trim().replace(/^W\//, '') === etag) ?? false
}
