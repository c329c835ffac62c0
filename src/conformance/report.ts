/** The report for a terminal and as a page that can be shown to others. */
import { escapeHtml } from '../domain/escape-html.ts'
import type { Report, Verdict } from './run.ts'

const marks: Record<Verdict['outcome'], string> = { holds: 'ok', broken: 'BROKEN', untried: 'not tried' }

const titleOf = ({ subject, target }: Report) =>
  subject === 'service' ? `Conformance of ${target}` : `Conformance of a till with ${target}`

export function describeSum({ subject, verdicts, isConforming }: Report): string {
  const count = (outcome: Verdict['outcome']) =>
    verdicts.filter((verdict) => verdict.outcome === outcome).length
  const untried = count('untried')
  const what = subject === 'service' ? 'clauses' : 'scenes and rules'
  const verdict = isConforming
    ? `The ${subject} conforms`
    : count('broken') > 0
      ? `The ${subject} does not conform`
      : `The ${subject} has not shown everything that it has to`
  return `${verdict}: ${count('holds')} ${what} hold, ${count('broken')} are broken${untried > 0 ? `, ${untried} could not be tried` : ''}.`
}

export function toText(report: Report): string {
  const lines = bySection(report).flatMap(([section, verdicts]) => [
    '',
    section,
    ...verdicts.flatMap(({ id, text, outcome, reason }) => [
      `  ${marks[outcome].padEnd('not tried'.length)}  ${id}: ${text}`,
      ...(reason === undefined ? [] : [`             → ${reason}`]),
    ]),
  ])
  return [titleOf(report), ...lines, '', describeSum(report)].join('\n')
}

function bySection({ verdicts }: Report): [string, Verdict[]][] {
  const sections = new Map<string, Verdict[]>()
  for (const verdict of verdicts)
    sections.set(verdict.section, [...(sections.get(verdict.section) ?? []), verdict])
  return [...sections]
}

export function toHtml(report: Report): string {
  const code = (text: string) => escapeHtml(text).replaceAll(/`([^`]*)`/g, '<code>$1</code>')
  // How long a person took says nothing about a till.
  const hasTimes = report.subject === 'service'
  const sections = bySection(report).map(
    ([section, verdicts]) => `<h2>${escapeHtml(section)}</h2>
<table><thead><tr><th>${hasTimes ? 'Clause' : 'What was seen'}</th><th>Outcome</th>${hasTimes ? '<th>ms</th>' : ''}</tr></thead><tbody>
${verdicts
  .map(
    ({ id, text, outcome, reason, ms }) =>
      `<tr class="${outcome}"><td><b>${escapeHtml(id)}</b><br>${code(text)}${reason === undefined ? '' : `<p>${escapeHtml(reason)}</p>`}</td><td>${marks[outcome]}</td>${hasTimes ? `<td>${ms}</td>` : ''}</tr>`,
  )
  .join('\n')}
</tbody></table>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(titleOf(report))}</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: start; vertical-align: top; padding: .5rem; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent) }
td + td { white-space: nowrap }
p { margin: .25rem 0 0; overflow-wrap: anywhere }
.broken td:nth-child(2) { color: light-dark(#b00020, #ff8a80); font-weight: bold }
</style>
</head>
<body>
<h1>${escapeHtml(titleOf(report))}</h1>
<p><strong>${escapeHtml(describeSum(report))}</strong> ${escapeHtml(report.at)}</p>
${sections.join('\n')}
</body>
</html>
`
}
