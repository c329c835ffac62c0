/** The settings of the page on which customers enroll themselves into a campaign. */
import { Type } from 'typebox'
import { parseId } from '../../domain/ids.ts'
import { patchEnrollment, readEnrollment } from '../../operations/enrollment/manage-enrollment.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Server } from '../fastify-server.ts'
import { nowOf } from '../requests/now-of.ts'
import { respondToWrite } from '../respond.ts'
import { EnrollmentPatch, EnrollmentReply, toEnrollmentReply } from '../schemas/enrollment.ts'
import { Id } from '../schemas/fields.ts'
import type { ServerOptions } from '../server-options.ts'

const tags = ['Campaigns']
const CampaignPath = Type.Object({ id: Id('cmp') })

export function enrollmentRoutes(app: Server, { deps }: ServerOptions): void {
  app.get(
    '/v1/campaigns/:id/enrollment',
    {
      config: { access: ['manage'], refusals: ['campaign_not_found'] },
      schema: {
        operationId: 'getEnrollment',
        summary: 'Get how customers can enroll themselves',
        tags,
        params: CampaignPath,
        response: { 200: EnrollmentReply },
      },
    },
    async ({ caller, params }) => {
      const tenant = tenantOf(deps.pool, caller.organization.orgId)
      const enrollment = await readEnrollment(tenant, caller.organization, parseId('cmp', params.id))
      return toEnrollmentReply(deps.publicUrl())(enrollment)
    },
  )

  app.patch(
    '/v1/campaigns/:id/enrollment',
    {
      config: { access: ['manage'], refusals: ['campaign_not_found', 'short_name_taken'] },
      schema: {
        operationId: 'patchEnrollment',
        summary: 'Let customers enroll themselves, or stop it',
        description: 'The page at `url` is open while the campaign is published and has not ended.',
        tags,
        params: CampaignPath,
        body: EnrollmentPatch,
        response: { 200: EnrollmentReply },
      },
    },
    (request, reply) => {
      const id = parseId('cmp', request.params.id)
      return respondToWrite(deps, request, reply, {
        work: (tenant) =>
          patchEnrollment(tenant, request.caller.organization, id, request.body, nowOf(deps, request)),
        status: 200,
        render: toEnrollmentReply(deps.publicUrl()),
      })
    },
  )
}
