/**
 * Passwords that are guessed first. zxcvbn estimates how many guesses an attacker needs who knows the most
 * frequent passwords, how people vary them (digits, capitals, lookalike signs), keyboards, dates and
 * repetitions. Its list takes some 0.1 s and 20 MB, so it is loaded when a password is first chosen.
 */

/**
 * Between what people find at once and what is hard to find: "iloveyousomuch" and "Winter2025!!" need 10^8
 * guesses, ten random characters 10^10, and of three random words without spaces 97% need more than this.
 */
const enoughGuesses = 1e9
/** The estimate takes time that grows with the length: 30 ms here, half a second for the longest password. */
const mostCharacters = 32
/** Numbers are phone numbers and dates, until they are longer than those. */
const longestNumber = 15
/** Frequent here, and not in the list. */
const alsoFrequent = ['loyaltywallet', 'willkommen', 'login']

/** Whether a password is easy to guess; `own` is what belongs to the person, such as the email address. */
export async function isCommonPassword(password: string, own: readonly string[]): Promise<boolean> {
  const text = toPlain(password)
  const compact = withoutSeparators(text)
  if (compact.length <= longestNumber && /^\d*$/.test(compact)) return true
  estimator ??= loadEstimator()
  const { check } = await estimator
  const known = [...alsoFrequent, ...own.flatMap(partsOf)].map(toChecked)
  return [...new Set([text, compact])].some((spelled) => check(toChecked(spelled), known) < enoughGuesses)
}

let estimator: ReturnType<typeof loadEstimator> | undefined

async function loadEstimator() {
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })
  return { check: (password: string, known: string[]) => zxcvbn.check(password, known).guesses }
}

const toPlain = (text: string) => text.normalize('NFKC').trim().toLowerCase()
const withoutSeparators = (text: string) => text.replace(/[\s._-]+/g, '')
const toChecked = (text: string) => text.slice(0, mostCharacters)

/** The text itself and the words in it, such as both sides of an email address. */
function partsOf(text: string): string[] {
  const whole = toPlain(text)
  const parts = whole.split(/[^\p{L}\p{N}]+/u).filter((part) => part.length >= 3)
  return [whole, withoutSeparators(whole), ...parts].filter(Boolean)
}
