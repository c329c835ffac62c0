/**
 * Marks of browsers in which a person has signed in: an account's own browsers have a limit of their own for
 * wrong passwords, so that a stranger who guesses does not keep the person out. A mark holds no secret and
 * opens nothing; one that is stolen gives its thief that limit, and a forged one gives nothing.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export interface Devices {
  /** The marks of a browser that has just signed in to the account: a new one, and those it had for others. */
  add(marks: string | undefined, account: string, now: Date): string
  /** The name of the browser, if one of the marks is ours, was made for this account and has not expired. */
  read(marks: string | undefined, account: string, now: Date): string | undefined
}

const maxAgeMs = 180 * 24 * 3_600_000
/** How long a browser keeps the marks. */
export const deviceSeconds = maxAgeMs / 1000

/** People who share a computer, such as a till; of more, those who have not signed in for longest lose theirs. */
const maxMarks = 8
/** Part of no mark, and valid in a cookie. */
const separator = '~'
const markPattern = /^(([0-9a-z]{1,11})\.[\w-]{22})\.([\w-]{43})$/

export function createDevices(pepper: string): Devices {
  // A separate key, so that a signature can never pass for the hash of a credential.
  const secret = createHmac('sha256', pepper).update('loyalty-wallet: marks of browsers').digest()
  const sign = (content: string, account: string) =>
    createHmac('sha256', secret).update(`${content} ${account}`).digest()

  function readOne(mark: string, account: string, now: Date): string | undefined {
    const match = markPattern.exec(mark)
    if (!match) return undefined
    const [, content, madeAt, signature] = match
    if (!timingSafeEqual(Buffer.from(signature!, 'base64url'), sign(content!, account))) return undefined
    return now.getTime() - Number.parseInt(madeAt!, 36) < maxAgeMs ? content : undefined
  }

  return {
    add(marks, account, now) {
      const content = `${now.getTime().toString(36)}.${randomBytes(16).toString('base64url')}`
      const mark = `${content}.${sign(content, account).toString('base64url')}`
      // Whose the others are is not known here; a forged one stays as useless as it was.
      const others = marksIn(marks).filter((other) => readOne(other, account, now) === undefined)
      return [mark, ...others].slice(0, maxMarks).join(separator)
    },
    read(marks, account, now) {
      for (const mark of marksIn(marks)) {
        const name = readOne(mark, account, now)
        if (name !== undefined) return name
      }
      return undefined
    },
  }
}

/** The newest first, and no more than we have given: each costs a signature. */
function marksIn(marks = ''): string[] {
  return marks.split(separator, maxMarks).filter((mark) => markPattern.test(mark))
}
