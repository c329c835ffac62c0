import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A span as a collector gets it. */
export interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { key: string; value: { stringValue?: string; intValue?: string } }[]
  readonly links: readonly { traceId: string; spanId: string }[]
  readonly status: { code?: number; message?: string }
}

export interface Collector {
  readonly endpoint: string
  readonly spans: SentSpan[]
  readonly requests: { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: string }[]
  /** The next answers; 200 when there are no more. */
  readonly answers: number[]
  close(): Promise<void>
}

/** The least that an OpenTelemetry collector is: it takes spans over HTTP and keeps them. */
export async function startCollector(): Promise<Collector> {
  const spans: SentSpan[] = []
  const requests: Collector['requests'] = []
  const answers: number[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    requests.push({ url: request.url!, headers: request.headers, body })
    response.statusCode = answers.shift() ?? 200
    if (response.statusCode === 200)
      for (const { scopeSpans } of JSON.parse(body).resourceSpans)
        for (const scope of scopeSpans) spans.push(...scope.spans)
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    requests,
    answers,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
