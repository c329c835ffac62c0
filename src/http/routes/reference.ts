/** The API's own description: the OpenAPI document, and a page to read it. */
import type { Server } from '../server.ts'

export function referenceRoutes(app: Server): void {
  app.get('/openapi.json', { config: { access: 'public' }, schema: { hide: true } as object }, async () =>
    app.swagger(),
  )
}
