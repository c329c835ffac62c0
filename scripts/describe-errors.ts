/** The error reference as a page: every code with its status, when it occurs and what to do. */
import { type RefusalCode, refusals } from '../src/domain/refusal.ts'
import { statusOf } from '../src/http/errors/errors.ts'
import { refusalAnswers } from '../src/http/errors/refusals.ts'

const introduction = `# Errors

<!-- Written by \`npm run generate\` from src/domain/refusal.ts and src/http/errors/refusals.ts; change it there. -->

Every error of the service has the same body, whatever refused the call:

\`\`\`json
{
  "statuscode": 400,
  "errorcode": 400,
  "message": "insufficient_points",
  "description": "${refusals.insufficient_points}",
  "timestamp": 1773480413589,
  "path": "/v1/transactions/process",
  "method": "POST"
}
\`\`\`

\`message\` is one of the codes below: decide by it, it is never renamed. \`description\` says for people what was wrong in this call; its wording may change. \`statuscode\` and \`errorcode\` are the HTTP status; \`path\` is without the query, which may hold a phone number.

When several apply, who calls is checked first, before the body is read, and then the shape of the request. From there on the list stands in the order in which the codes win: the customer, the card, references, coupons and points. Where two statuses are given, the first is for something named in a body, the second for the same in the path or the query.

| code | status | when | what to do |
|---|---|---|---|
`

export function describeErrors(): string {
  const rows = (Object.keys(refusals) as RefusalCode[]).map((code) => {
    const statuses = [...new Set([statusOf(code), statusOf(code, 'path')])].join(' / ')
    return `| \`${code}\` | ${statuses} | ${cell(refusals[code])} | ${cell(refusalAnswers[code].advice)} |\n`
  })
  return introduction + rows.join('')
}

const cell = (text: string) => text.replaceAll('|', '\\|')
