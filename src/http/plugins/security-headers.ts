/**
 * Headers of every response that tell a browser not to guess its type, not to run or frame any of it, not to
 * send a referrer, and, where TLS is used, to come back only over TLS. Pages set their own policy.
 */
const always = {
  // Balances and tokens must not be cached by anything between us and the client.
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Only over TLS: a browser ignores it on plain HTTP, and a demo must stay reachable there. */
const overTls = { 'strict-transport-security': 'max-age=31536000' }

export function securityHeaders(isOverTls: boolean): Record<string, string> {
  return isOverTls ? { ...always, ...overTls } : always
}
