/**
 * The cookies of a person: the session, the marks of the browser, and when it changed something. A browser sends them only with requests
 * from pages of this site, and no script can read them; for requests that change something, the origin that
 * the browser reports is checked as well. Over HTTPS their names begin with `__Host-`, which a browser accepts
 * only from this host itself: no neighboring subdomain can plant one.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refused } from '../../domain/refusal.ts'
import { deviceSeconds } from '../../operations/auth/devices.ts'
import { cookieSeconds, type OpenedSession } from '../../operations/auth/person-sessions.ts'
import type { ServerOptions } from '../server-options.ts'

export const cookieName = 'lw_session'
const deviceCookieName = 'lw_device'
const writeCookieName = 'lw_wrote'

/** How people reach the service. */
export interface Site {
  /** Over HTTPS. Cookies are marked Secure only then: over plain HTTP, browsers would drop them. */
  readonly isSecure: boolean
  /** The configured public URL, which is the only origin if it is set. */
  readonly publicUrl?: string
}

export const siteOf = ({ https, isBehindProxy, publicUrl }: ServerOptions): Site => ({
  isSecure: https !== undefined || isBehindProxy === true,
  publicUrl,
})

const nameIn = ({ isSecure }: Site, name: string) => (isSecure ? `__Host-${name}` : name)

/**
 * Value of a cookie; undefined if it was not sent, and empty (no session) if it was sent twice: without HTTPS
 * a page on a neighboring subdomain can plant a second cookie, and which of the two counts must not depend on
 * their order.
 */
function cookieIn(header: string | undefined, wanted: string): string | undefined {
  if (header === undefined) return undefined
  const values = header.split(';').flatMap((pair) => {
    const [name, ...value] = pair.split('=')
    return name!.trim() === wanted ? value.join('=').trim() : []
  })
  return values.length > 1 ? '' : values[0]
}

export const sessionToken = (header: string | undefined, site: Site) =>
  cookieIn(header, nameIn(site, cookieName))

export const deviceMarks = (header: string | undefined, site: Site) =>
  cookieIn(header, nameIn(site, deviceCookieName))

export function setSession(
  reply: FastifyReply,
  { token, device }: Pick<OpenedSession, 'token' | 'device'>,
  site: Site,
): void {
  reply.header('set-cookie', [
    cookieOf(site, cookieName, token, cookieSeconds),
    cookieOf(site, deviceCookieName, device, deviceSeconds),
  ])
}

/** The marks of the browser stay, for the next sign-in. */
export function clearSession(reply: FastifyReply, site: Site): void {
  reply.header('set-cookie', cookieOf(site, cookieName, '', 0))
}

/** When the browser changed something last (ms), for as long as a replica may lack that. */
export function setLastWrite(reply: FastifyReply, atMs: number, seconds: number, site: Site): void {
  // Added to those that are set already.
  reply.header('set-cookie', cookieOf(site, writeCookieName, String(atMs), seconds))
}

export const lastWrite = (header: string | undefined, site: Site) =>
  Number(cookieIn(header, nameIn(site, writeCookieName)) ?? 0)

function cookieOf(site: Site, name: string, value: string, seconds: number): string {
  const secure = site.isSecure ? '; Secure' : ''
  return `${nameIn(site, name)}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Strict${secure}`
}

const safe = ['GET', 'HEAD', 'OPTIONS']

/**
 * Another site can make a browser send a request, but cannot forge the headers that say where it comes from.
 */
export function refuseOtherSites({ method, headers, host }: FastifyRequest, site: Site): void {
  if (safe.includes(method)) return
  const { origin, 'sec-fetch-site': from } = headers
  const isOurs = origin === undefined || isOriginOf(site, origin, host)
  const isFromHere = from === undefined || from === 'same-origin' || from === 'none'
  if (isOurs && isFromHere) return
  throw new Refused('_forbidden', 'The session cookie is only valid for same-origin requests.')
}

/**
 * Without a public URL the host of the request is ours. Default ports do not count: a proxy, for example, may
 * spell the port out.
 */
function isOriginOf({ isSecure, publicUrl }: Site, origin: string, host: string): boolean {
  const ours = publicUrl ?? `${isSecure ? 'https' : 'http'}://${host}`
  return (
    URL.canParse(origin) &&
    URL.canParse(ours) &&
    origin !== 'null' &&
    new URL(ours).origin === new URL(origin).origin
  )
}
