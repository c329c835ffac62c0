/** The error reference as a page: every code with its status, when it occurs and what to do. */
import { type RefusalCode, refusals } from '../src/domain/refusal.ts'
import { statusOf } from '../src/http/errors/errors.ts'
import { refusalAnswers } from '../src/http/errors/refusals.ts'

const introduction = `# Errors

<!-- Written by \`npm run generate\` from src/domain/refusal.ts and src/http/errors/refusals.ts; change it there. -->

All errors have the same body:

\`\`\`json
{
  "statuscode": 400,
  "errorcode": 400,
  "message": "insufficient_points",
  "description": "${refusals.insufficient_points}",
  "timestamp": 1773480413589,
  "path": "/v1/transactions/process",
  "method": "POST",
  "requestId": "5f0c8a7e3b9d4c61a2f4e8d7b6c5a493",
  "help": "/docs/errors#insufficient_points",
  "field": "pointsToSpend"
}
\`\`\`

\`message\` is one of the codes below; base your logic on it, because codes are never renamed. \`description\` explains the error to people, and its wording may change. \`statuscode\` and \`errorcode\` are the HTTP status. \`path\` leaves out the query string, which may contain a phone number. \`requestId\` is the \`X-Request-Id\` of the response; quote it when you report a problem. \`help\` is the entry of the code on the service's own copy of this page. \`field\` is there if the refusal is about one property of the request, such as \`items[0].quantity\`.

If several errors apply, authentication is checked first, before the body is read, then the shape of the request. After that, the order of this list is the order of precedence: the customer, the card, references, coupons and points. Where two statuses are given, the first applies to an object named in the body, the second to one named in the path or the query.

| Code | Status | When | What to do |
|---|---|---|---|
`

export function describeErrors(): string {
  const rows = (Object.keys(refusals) as RefusalCode[]).map((code) => {
    const statuses = [...new Set([statusOf(code), statusOf(code, 'path')])].join(' / ')
    return `| <a id="${code}"></a>\`${code}\` | ${statuses} | ${cell(refusals[code])} | ${cell(refusalAnswers[code].advice)} |\n`
  })
  return introduction + rows.join('')
}

const cell = (text: string) => text.replaceAll('|', '\\|')
