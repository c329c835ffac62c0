/** A rule for those who write a till, decided from what was seen of it. */
import type { Session } from './session.ts'

export interface Rule {
  readonly id: string
  readonly section: string
  /** What a till has to do, and why. */
  readonly text: string
  /** What was seen instead, once for each time; undefined if there was no occasion to see it. */
  check(session: Session): readonly string[] | undefined
}
