/**
 * The session cookie of a person. A browser sends it only with requests from pages of this site, and no
 * script can read it; for requests that change something, the origin that the browser reports is checked as
 * well.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refused } from '../../domain/refusal.ts'
import { cookieSeconds } from '../../operations/auth/person-sessions.ts'

export const cookieName = 'lw_session'

/**
 * Value of our cookie; undefined if it was not sent, and empty (no session) if it was sent twice: a page on a
 * neighboring subdomain can plant a second cookie, and which of the two counts must not depend on their
 * order.
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

/**
 * Another site can make a browser send a request, but cannot forge the headers that say where it comes from.
 */
export function refuseOtherSites({ method, headers, host }: FastifyRequest, publicUrl: string): void {
  if (safe.includes(method)) return
  const { origin, 'sec-fetch-site': site } = headers
  const isOurs = origin === undefined || isHost(origin, host) || origin === publicUrl
  const isFromHere = site === undefined || site === 'same-origin' || site === 'none'
  if (isOurs && isFromHere) return
  throw new Refused('_forbidden', 'The session cookie is only valid for same-origin requests.')
}

/** Compares hosts with default ports removed: a proxy, for example, may spell the port out. */
function isHost(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false
  const { protocol, host: from } = new URL(origin)
  const ours = `${protocol}//${host}`
  return from !== '' && URL.canParse(ours) && new URL(ours).host === from
}
