/** Files that are brought in piece by piece, and customers as files hold them. */
import { Type } from 'typebox'
import { parseId } from '../../domain/ids.ts'
import { importRows } from '../../operations/imports/import-rows.ts'
import { beginImport, finishImport, getImport } from '../../operations/imports/manage-imports.ts'
import { listExportedCustomers } from '../../store/export-customers.ts'
import { listImports, listRejectedRows } from '../../store/imports.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Server } from '../fastify-server.ts'
import { parameter } from '../openapi/name-components.ts'
import { nowOf } from '../requests/now-of.ts'
import { decodeCursor, idCursor, listPage, PageQuery, refuseCursor, toPage } from '../requests/paging.ts'
import { respondToWrite } from '../respond.ts'
import { respondToRead } from '../respond-to-read.ts'
import { Choice, ImportKinds } from '../schemas/choices.ts'
import { Id, NoBody, Optional, PageOf, Text } from '../schemas/fields.ts'
import {
  ExportedCustomerReply,
  ImportReply,
  ImportRows,
  ImportStatus,
  NewImport,
  RejectedRowReply,
  RowsReply,
  toExportedCustomer,
  toImportReply,
  toRejectedReply,
  toRows,
  toRowsReply,
} from '../schemas/import.ts'
import type { ServerOptions } from '../server-options.ts'

const tags = ['Import and export']
const ImportPath = Type.Object({ id: Id('imp') })
const maxPage = 1_000
const LargePage = {
  cursor: PageQuery.cursor,
  limit: Optional(
    Type.Integer({
      ...parameter('LargeLimit'),
      minimum: 1,
      maximum: maxPage,
      description: `Page size (default ${maxPage}). A page of large entries may be shorter.`,
    }),
  ),
}

export function importRoutes(app: Server, options: ServerOptions): void {
  beginRoute(app, options)
  rowsRoute(app, options)
  finishRoute(app, options)
  readRoutes(app, options)
  rejectedRoute(app, options)
  exportRoute(app, options)
}

function beginRoute(app: Server, { deps }: ServerOptions): void {
  app.post(
    '/v1/imports',
    {
      config: { access: ['manage'], isRepeatable: true, refusals: ['invalid_campaign'] },
      schema: {
        operationId: 'beginImport',
        summary: 'Begin an import',
        description:
          'Then send the rows of the file, up to 500 at a time, and finish it. `loyalty-wallet customers import` and the console do that for files in CSV and NDJSON.',
        tags,
        body: NewImport,
        response: { 201: ImportReply },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) => beginImport(deps, tenant, request.body, request.caller),
        status: 201,
        render: toImportReply,
      }),
  )
}

function rowsRoute(app: Server, { deps }: ServerOptions): void {
  app.post(
    '/v1/imports/:id/rows',
    {
      config: {
        access: ['manage'],
        refusals: ['import_not_found', 'import_finished', 'import_rows_differ'],
      },
      schema: {
        operationId: 'importRows',
        summary: 'Send rows of a file',
        description:
          'Rows without a problem are stored together; the others are named. The same rows sent again get the same response, so send them again if none arrives. Several requests may be under way at once.\n\nA customer is recognized by barcode, external ID, email or phone. A balance is opened once per customer, whatever file it comes from.',
        tags,
        params: ImportPath,
        body: ImportRows,
        response: { 200: RowsReply },
      },
    },
    async ({ caller, params, body }) => {
      const piece = { after: body.after, rows: toRows(body.rows) }
      return toRowsReply(await importRows(deps, caller, parseId('imp', params.id), piece))
    },
  )
}

function finishRoute(app: Server, { deps }: ServerOptions): void {
  app.post(
    '/v1/imports/:id/finish',
    {
      config: { access: ['manage'], isRepeatable: true, refusals: ['import_not_found'] },
      schema: {
        operationId: 'finishImport',
        summary: 'Finish an import',
        tags,
        params: ImportPath,
        body: NoBody,
        response: { 200: ImportReply },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) => finishImport(deps, tenant, parseId('imp', request.params.id), request.caller),
        status: 200,
        render: toImportReply,
      }),
  )
}

function readRoutes(app: Server, { deps }: ServerOptions): void {
  app.get(
    '/v1/imports',
    {
      config: { access: ['manage'] },
      schema: {
        operationId: 'listImports',
        summary: 'List imports, newest first',
        tags,
        querystring: Type.Object({
          ...PageQuery,
          kind: Optional(ImportKinds),
          fileHash: Optional(Text(128, { description: 'Only those of this file.' })),
          status: Optional(ImportStatus),
          dryRun: Optional(
            Choice('DryRunFilter', 'Whether dry runs are listed.', {
              true: 'Only dry runs.',
              false: 'Everything else.',
            }),
          ),
        }),
        response: { 200: PageOf(ImportReply) },
      },
    },
    async ({ caller, query }) => {
      const { kind, fileHash, status, dryRun } = query
      const tenant = tenantOf(deps.pool, caller.organization.orgId)
      const filter = {
        kind,
        fileHash,
        isFinished: status && status === 'finished',
        isDryRun: dryRun && dryRun === 'true',
      }
      return listPage('imp', query, (page) => listImports(tenant, filter, page), toImportReply)
    },
  )

  app.get(
    '/v1/imports/:id',
    {
      config: { access: ['manage'], refusals: ['import_not_found'] },
      schema: {
        operationId: 'getImport',
        summary: 'Get an import',
        tags,
        params: ImportPath,
        response: { 200: ImportReply },
      },
    },
    async ({ caller, params }) => {
      const tenant = tenantOf(deps.pool, caller.organization.orgId)
      return toImportReply(await getImport(tenant, parseId('imp', params.id)))
    },
  )
}

function rejectedRoute(app: Server, { deps }: ServerOptions): void {
  app.get(
    '/v1/imports/:id/rejected',
    {
      config: { access: ['manage'], refusals: ['import_not_found'] },
      schema: {
        operationId: 'listRejectedRows',
        summary: 'List the rows that were rejected',
        description: 'By their numbers in the file, of which nothing else is kept.',
        tags,
        params: ImportPath,
        querystring: Type.Object(LargePage),
        response: { 200: PageOf(RejectedRowReply) },
      },
    },
    async ({ caller, params, query }) => {
      const tenant = tenantOf(deps.pool, caller.organization.orgId)
      const { id } = await getImport(tenant, parseId('imp', params.id))
      const { limit = maxPage, cursor } = query
      const afterRow = Number(decodeCursor(cursor) ?? 0)
      if (!Number.isInteger(afterRow) || afterRow < 0 || afterRow > 2_147_483_647) refuseCursor()
      const rows = await listRejectedRows(tenant, id, { afterRow, limit: limit + 1 })
      return toPage(rows, limit, ({ row }) => String(row), toRejectedReply)
    },
  )
}

function exportRoute(app: Server, { deps }: ServerOptions): void {
  app.get(
    '/v1/exports/customers',
    {
      config: { access: ['manage'], mayLag: true, isLong: true },
      schema: {
        operationId: 'exportCustomers',
        summary: 'Export all customers, oldest first',
        description: 'Each as a row that can be imported again.',
        tags,
        querystring: Type.Object(LargePage),
        response: { 200: PageOf(ExportedCustomerReply) },
      },
    },
    async (request, reply) => {
      const { limit = maxPage, cursor } = request.query
      const page = { limit: limit + 1, after: idCursor('cus', cursor) }
      const rows = await respondToRead(deps, request, reply, (tenant) =>
        listExportedCustomers(tenant, page, nowOf(deps, request)),
      )
      return toPage(rows, limit, ({ id }) => id, toExportedCustomer)
    },
  )
}
