/**
 * The cookie that a person's session lives in. A browser sends it only with calls of pages of this very site, and
 * no script can read it; calls that change something are checked once more by where the browser says they come from.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refused } from '../../domain/refusal.ts'
import { cookieSeconds } from '../../operations/auth/person-sessions.ts'

export const cookieName = 'lw_session'

/**
 * The value of our cookie; undefined when it is not there. Sent twice it is nobody's: a page on a neighbouring
 * address can plant a second one, and which of the two counts must not depend on their order.
 */
export function sessionToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const values = header.split(';').flatMap((pair) => {
    const [name, ...value] = pair.split('=')
    return name!.trim() === cookieName ? value.join('=').trim() : []
  })
  return values.length > 1 ? '' : values[0]
}

export function setSession(reply: FastifyReply, token: string, isSecure: boolean): void {
  reply.header('set-cookie', cookieOf(token, cookieSeconds, isSecure))
}

export function clearSession(reply: FastifyReply, isSecure: boolean): void {
  reply.header('set-cookie', cookieOf('', 0, isSecure))
}

function cookieOf(value: string, seconds: number, isSecure: boolean): string {
  const secure = isSecure ? '; Secure' : ''
  return `${cookieName}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Strict${secure}`
}

const safe = ['GET', 'HEAD', 'OPTIONS']

/** Another site may let a browser send something, but not say that it comes from here. */
export function refuseOtherSites({ method, headers, host }: FastifyRequest, publicUrl: string): void {
  if (safe.includes(method)) return
  const { origin, 'sec-fetch-site': site } = headers
  const isOurs = origin === undefined || isHost(origin, host) || origin === publicUrl
  const isFromHere = site === undefined || site === 'same-origin' || site === 'none'
  if (isOurs && isFromHere) return
  throw new Refused('_forbidden', 'The session counts only for calls of pages of this site.')
}

/** A port that goes without saying may still be said, by a proxy for example. */
function isHost(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false
  const { protocol, host: from } = new URL(origin)
  const ours = `${protocol}//${host}`
  return from !== '' && URL.canParse(ours) && new URL(ours).host === from
}
