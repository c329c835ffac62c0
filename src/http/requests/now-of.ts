import type { FastifyRequest } from 'fastify'
import type { Deps } from '../../operations/deps.ts'
import { timeOf } from '../../operations/organizations/time-of.ts'

/** The time by the clock of the caller's organization. */
export const nowOf = (deps: Pick<Deps, 'clock'>, { caller }: Pick<FastifyRequest, 'caller'>): Date =>
  timeOf(deps, caller.organization)

export const createNow =
  (deps: Pick<Deps, 'clock'>) =>
  (request: Pick<FastifyRequest, 'caller'>): Date =>
    nowOf(deps, request)
