/**
 * Passwords that are guessed first. A list of the most frequent ones would have thousands of lines and miss
 * their neighbors, so this knows how they are made: a few words with digits around them, runs over the
 * keyboard, repetitions, numbers, and what belongs to the person.
 */

/** Words that the most frequent passwords of ten characters and more are made of. */
const words = new Set(
  `password passwort passwd pass kennwort geheim secret admin administrator root user guest login welcome
  willkommen hello hallo letmein changeme change default test testing temp master super manager service system
  server computer internet access private secure security qwerty qwertz azerty asdf iloveyou love you liebe
  dich ich mylove forever baby angel princess sunshine sunflower flower butterfly rainbow summer winter spring
  autumn sommer herbst january february march april may june july august september october november december
  monday friday football fussball soccer baseball basketball hockey dragon monkey tiger lion eagle pokemon
  superman batman spiderman starwars matrix ninja mustang ferrari mercedes porsche harley corvette yamaha
  michael jennifer jessica ashley daniel michelle charlie thomas robert anthony andrea martin alexander
  christian christopher elizabeth samantha nicole amanda william victoria stephanie jordan hunter george
  chocolate cookie coffee cheese banana orange cherry apple pepper ginger samsung google facebook microsoft
  windows android iphone linkedin london berlin paris america england germany liverpool arsenal chelsea
  barcelona bayern loyalty wallet loyaltywallet demo shop store till cafe bakery blink freedom whatever trustno
  one two three four five six the my is and for new old big hot god jesus christ family friends abc xyz
  habibi allah mohammed muhammad ahmed bismillah`.split(/\s+/),
)

const runs = [
  '01234567890',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'qwertzuiop',
  'azertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'yxcvbnm',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
  '!@#$%^&*()',
].flatMap((run) => [run, [...run].reverse().join('')])

const lookalikes: Record<string, string> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}

/** Numbers are phone numbers and dates, until they are longer than those. */
const longestNumber = 15
/** A longer part that is repeated is as good as one that is not. */
const longestRepeated = 9

/** Whether a password is easy to guess; `own` is what belongs to the person, such as the email address. */
export function isCommonPassword(password: string, own: readonly string[]): boolean {
  const text = password.normalize('NFKC').trim().toLowerCase()
  const compact = text.replace(/[\s._-]+/g, '')
  if (/^\d*$/.test(compact) && compact.length <= longestNumber) return true
  if (isRepeated(text) || isRepeated(compact)) return true
  const letters = lettersOf(compact)
  if ([compact, letters].some((spelled) => isMadeOf(spelled, longestRun, 3))) return true
  const ownWords = new Set(own.flatMap(partsOf))
  const wordLength = (rest: string) => longestWord(rest, ownWords)
  const spellings = [letters, readLookalikes(letters), lettersOf(readLookalikes(compact))]
  return spellings.some((spelled) => isMadeOf(spelled, wordLength, 3))
}

function isRepeated(text: string): boolean {
  for (let length = 1; length <= Math.min(longestRepeated, text.length / 2); length++) {
    const unit = text.slice(0, length)
    if (unit.repeat(Math.ceil(text.length / length)).slice(0, text.length) === text) return true
  }
  return false
}

/** Whether the text is made of a few parts of which `lengthOf` finds the first; it returns 0 if there is none. */
function isMadeOf(text: string, lengthOf: (rest: string) => number, most: number): boolean {
  let rest = text
  for (let parts = 0; parts < most && rest !== ''; parts++) {
    const length = lengthOf(rest)
    if (length === 0) return false
    rest = rest.slice(length)
  }
  return rest === ''
}

/** Length of the run over a keyboard or an alphabet that the text begins with, if it has at least three keys. */
function longestRun(text: string): number {
  for (let length = text.length; length >= 3; length--) {
    const start = text.slice(0, length)
    if (runs.some((run) => run.includes(start)) || new Set(start).size === 1) return length
  }
  return 0
}

function longestWord(text: string, own: ReadonlySet<string>): number {
  for (let length = text.length; length >= 2; length--) {
    const start = text.slice(0, length)
    if (words.has(start) || own.has(start)) return length
  }
  return 0
}

/** Digits and signs at both ends are what people add when a rule asks for them. */
function lettersOf(text: string): string {
  const letters = text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  // A long tail is more than an addition.
  return text.length - letters.length <= 6 ? letters : text
}

const readLookalikes = (text: string) => [...text].map((sign) => lookalikes[sign] ?? sign).join('')

/** The text itself and the words in it, such as both sides of an email address. */
function partsOf(text: string): string[] {
  const whole = text.normalize('NFKC').trim().toLowerCase()
  const parts = whole.split(/[^\p{L}\p{N}]+/u).filter((part) => part.length >= 3)
  return [whole.replace(/[\s._-]+/g, ''), ...parts]
}
