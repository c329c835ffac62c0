/** Result of one check of the doctor. Only a problem keeps the service from working. */
export interface Finding {
  readonly check: string
  readonly status: 'ok' | 'warning' | 'problem'
  readonly message: string
  /** What to do next; every finding that is not ok has it. */
  readonly advice?: string
}

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message })

export const warning = (check: string, message: string, advice: string): Finding => ({
  check,
  status: 'warning',
  message,
  advice,
})

export const problem = (check: string, message: string, advice: string): Finding => ({
  check,
  status: 'problem',
  message,
  advice,
})

/** How many there are, and in words. */
export function countFindings(findings: readonly Finding[]) {
  const count = (status: Finding['status']) => findings.filter((finding) => finding.status === status).length
  const problems = count('problem')
  const warnings = count('warning')
  const plural = (n: number, word: string) => `${n} ${word}${n === 1 ? '' : 's'}`
  const sum =
    problems + warnings === 0
      ? 'No problems found.'
      : `${plural(problems, 'problem')}, ${plural(warnings, 'warning')}.`
  return { problems, warnings, sum }
}
