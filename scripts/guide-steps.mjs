// Reads the steps of a guide: a snippet for curl, TypeScript and Python, one after the other, and what all of them
// print. `sh` is for the command line of the service, which has no other languages.

export const languages = ['bash', 'ts', 'python']
const expectations = ['json', 'json excerpt', 'text output']

/** Throws for a block that would be neither run nor compared. */
export function readSteps(markdown, name) {
  const steps = []
  let end = 0
  for (const { 0: whole, 1: kind, 2: text, index } of markdown.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)) {
    const line = markdown.slice(0, index).split('\n').length
    const isNext = markdown.slice(end, index).trim() === ''
    end = index + whole.length
    const step = steps.at(-1)
    const code = text.trimEnd()
    if (kind === 'bash' || kind === 'sh') steps.push({ line, snippets: { [kind]: code } })
    else if (languages.includes(kind) && isNext && step && !step.snippets[kind]) step.snippets[kind] = code
    else if (expectations.includes(kind) && step && !step.expected) step.expected = { kind, text: code }
    else throw new Error(`${name}:${line}: a block \`${kind}\` that is no part of a step is not run`)
  }
  return steps
}

/** The steps that have neither all languages nor are of the command line, as `name:line`. */
export function incompleteSteps(steps, name) {
  return steps
    .filter(({ snippets }) => !snippets.sh && languages.some((language) => !snippets[language]))
    .map(({ line }) => `${name}:${line}`)
}

/** Whether a value is what a guide shows: `…` stands for anything that differs between two runs. */
export function matchesShown(shown, actual, isExcerpt) {
  if (shown === '…') return actual !== undefined
  if (typeof shown === 'string' && typeof actual === 'string') {
    const parts = shown.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    return new RegExp(`^${parts.join('.*')}$`, 's').test(actual)
  }
  if (typeof shown !== 'object' || shown === null) return shown === actual
  if (typeof actual !== 'object' || actual === null || Array.isArray(shown) !== Array.isArray(actual))
    return false
  const keys = Object.keys(isExcerpt && !Array.isArray(shown) ? shown : { ...shown, ...actual })
  return keys.every((key) => key in shown && matchesShown(shown[key], actual[key], isExcerpt))
}
