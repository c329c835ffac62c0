/**
 * Which code may use the real clock. Everything else takes the time of its organization (`timeOf`), which a test
 * organization can set forward: a sale, an expiry or a reminder that went by the real clock would not follow it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../src/package-root.ts'

/** How often, and what for. */
const realTime: Record<string, readonly [uses: number, why: string]> = {
  'src/http/errors/errors.ts': [1, 'the time of an error'],
  'src/http/plugins/authenticate.ts': [2, 'tokens, sessions and limits'],
  'src/http/plugins/request-log.ts': [1, 'the request log'],
  'src/http/routes/admin.ts': [7, 'what the operator does'],
  'src/http/routes/connections.ts': [4, 'credentials'],
  'src/http/routes/enrollment-page.ts': [3, 'challenges and limits'],
  'src/http/routes/organization.ts': [1, 'the operation makes the time of the event of it'],
  'src/http/routes/people.ts': [12, 'invitations and sessions'],
  'src/http/routes/received.ts': [1, 'when work is due'],
  'src/http/routes/senders.ts': [1, 'a test of a sender'],
  'src/http/routes/sessions.ts': [1, 'sessions'],
  'src/http/routes/test-mode.ts': [1, 'credentials'],
  'src/http/routes/webhooks.ts': [6, 'secrets and deliveries'],
  'src/http/server.ts': [1, 'the time of an error'],
  'src/jobs/deliver-webhooks.ts': [2, 'deliveries'],
  'src/jobs/kinds-of-work.ts': [5, 'what is kept, and for how long'],
  'src/jobs/run-jobs.ts': [4, 'when work is due, and leases'],
  'src/jobs/send-messages.ts': [1, 'when work is due'],
  'src/jobs/update-passes.ts': [1, 'updates of passes'],
  'src/operations/auth/email-links.ts': [1, 'links'],
  'src/operations/auth/guess-limit.ts': [2, 'limits'],
  'src/operations/auth/issue-token.ts': [1, 'tokens'],
  'src/operations/auth/person-sessions.ts': [4, 'sessions'],
  'src/operations/auth/refresh-token.ts': [1, 'tokens'],
  'src/operations/baskets/load.ts': [1, 'whether a token has ended'],
  'src/operations/customers/contact-codes.ts': [2, 'codes'],
  'src/operations/customers/fill-name-keys.ts': [2, 'when work is due'],
  'src/operations/customers/profile-reads.ts': [1, 'limits'],
  'src/operations/enrollment/enroll.ts': [1, 'challenges'],
  'src/operations/enrollment/enrollment-limits.ts': [1, 'limits'],
  'src/operations/events/delete-old-events.ts': [1, 'how long events are kept'],
  'src/operations/messages/manage-senders.ts': [2, 'whether a token has ended'],
  'src/operations/messages/send-messages.ts': [1, 'a signature'],
  'src/operations/organizations/organization-reader.ts': [2, 'whether a token has ended'],
  'src/operations/organizations/setup-cache.ts': [1, 'whether a token has ended'],
  'src/operations/organizations/time-of.ts': [2, 'the one place that adds what a test organization is ahead'],
  'src/operations/passes/apple-web-service.ts': [3, 'updates of passes'],
  'src/operations/passes/google-client.ts': [1, 'tokens of Google'],
  'src/operations/passes/issue-pass.ts': [1, 'a signature'],
  'src/operations/passes/pass-keys.ts': [3, 'certificates'],
  'src/operations/passes/save-link.ts': [2, 'a signature'],
  'src/operations/passes/update-passes.ts': [4, 'updates of passes, and leases'],
  'src/operations/record-requests.ts': [1, 'the request log'],
  'src/operations/sources/manage-sources.ts': [2, 'whether a token has ended, and when work is due'],
  'src/operations/sources/receive-message.ts': [1, 'when something came'],
  'src/operations/sources/record-received.ts': [4, 'attempts'],
  'src/operations/test-mode/advance-clock.ts': [4, 'leases, and how far the clock is ahead'],
  'src/operations/test-mode/visit.ts': [1, 'sessions'],
  'src/operations/transact.ts': [3, 'stored responses and the audit log'],
  'src/operations/wallet-page/open-wallet.ts': [1, 'codes'],
  'src/operations/wallet-page/own-profile.ts': [3, 'sessions and codes'],
  'src/operations/wallet-page/send-lost-link.ts': [1, 'limits'],
  'src/operations/wallets/change-wallet.ts': [
    3,
    'stored responses, the audit log, and whether a token has ended',
  ],
  'src/operations/webhooks/deliver.ts': [7, 'deliveries, secrets and signatures'],
}

/** They start the service, or make up the history of the demo. */
const others = /^src\/(?:app|cli|demo)\//

function* listSources(folder: string): Generator<string> {
  for (const entry of readdirSync(join(packageRoot, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) yield* listSources(path)
    else if (/(?<!\.test)\.ts$/.test(path) && !others.test(path)) yield path
  }
}

test('only what is listed here uses the real clock instead of that of the organization', () => {
  const found = [...listSources('src')].flatMap((path) => {
    const uses = readFileSync(join(packageRoot, path), 'utf8').match(/\bclock\(\)/g)?.length ?? 0
    return uses === 0 ? [] : [[path, uses] as const]
  })
  const listed = Object.entries(realTime).map(([path, [uses]]) => [path, uses])
  expect(found.toSorted(), 'use timeOf(deps, organization), or add it to the list with the reason').toEqual(
    listed.toSorted(),
  )
})
