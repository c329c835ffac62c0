/**
 * Reads organizations for the check that stands before every call. A subscription that is switched off must
 * count on the next call, so nothing is cached; but calls that arrive while a read is on its way share the
 * next one, which began after they arrived and is therefore as fresh as a read of their own.
 */
import type { Pool } from 'pg'
import type { OrganizationId } from '../domain/ids.ts'
import type { Organization } from '../domain/organization.ts'
import { listOrganizationsByIds } from '../store/organizations.ts'

export type ReadOrganization = (id: OrganizationId) => Promise<Organization | undefined>

const maxRunning = 2

export function createOrganizationReader(pool: Pool): ReadOrganization {
  let running = 0
  let waiting:
    | { ids: Set<OrganizationId>; found: Promise<Map<OrganizationId, Organization>>; start: () => void }
    | undefined

  function nextBatch() {
    const ids = new Set<OrganizationId>()
    let start = () => {}
    const started = new Promise<void>((resolve) => {
      start = resolve
    })
    const found = started.then(() => read([...ids]))
    return { ids, found, start }
  }

  async function read(ids: OrganizationId[]): Promise<Map<OrganizationId, Organization>> {
    try {
      return new Map((await listOrganizationsByIds(pool, ids)).map((one) => [one.id, one]))
    } finally {
      running--
      startWaiting()
    }
  }

  function startWaiting() {
    if (!waiting || running >= maxRunning) return
    const batch = waiting
    waiting = undefined
    running++
    batch.start()
  }

  return async (id) => {
    waiting ??= nextBatch()
    const { ids, found } = waiting
    ids.add(id)
    // After the current turn of the event loop, so that calls which arrived together are read together.
    setImmediate(startWaiting)
    return (await found).get(id)
  }
}
