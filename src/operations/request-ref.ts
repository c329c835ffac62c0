/** The request that an operation runs for, as the log names it. */
import type { TraceContext } from '../tracing/trace-context.ts'

export interface RequestRef {
  readonly id: string
  readonly trace: Pick<TraceContext, 'traceId'> | undefined
}

/** The properties that all lines of a request have in common. */
export const idsForLog = ({ id, trace }: RequestRef) => ({
  reqId: id,
  ...(trace && { traceId: trace.traceId }),
})
