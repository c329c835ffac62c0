/**
 * Questions that are asked together, in one round trip: each has its statements and knows how to read their
 * rows. They run in the given order; each statement sees what was committed before it began.
 */
import type { Step, WireRow } from '../database/pipeline.ts'
import type { Tenant } from './tenant.ts'

export type { Step }

export interface Question<T> {
  readonly steps: readonly Step[]
  /** Reads the answer from the rows of its steps, in their order. */
  read(rows: readonly (readonly WireRow[])[]): T
}

/** Questions by name; one that is not needed is undefined, and so is its answer. */
export type Questions = Readonly<Record<string, Question<unknown> | undefined>>

export type Answers<Q extends Questions> = {
  readonly [K in keyof Q]: Q[K] extends Question<infer T>
    ? T
    : Q[K] extends Question<infer T> | undefined
      ? T | undefined
      : never
}

export async function ask<Q extends Questions>(tenant: Tenant, questions: Q): Promise<Answers<Q>> {
  const { steps, read } = together(questions)
  return read(await tenant.db.pipe(steps))
}

/** `ask` for questions that lock nothing: those of several organizations may be sent together. */
export async function askTogether<Q extends Questions>(tenant: Tenant, questions: Q): Promise<Answers<Q>> {
  const { steps, read } = together(questions)
  return read(await tenant.db.read(steps))
}

/** Combines several questions into one. */
export function together<Q extends Questions>(questions: Q): Question<Answers<Q>> {
  const asked = Object.entries(questions).flatMap(([name, question]) =>
    question ? [{ name, question }] : [],
  )
  return {
    steps: asked.flatMap(({ question }) => question.steps),
    read(rows) {
      const answers: Record<string, unknown> = {}
      let at = 0
      for (const { name, question } of asked) {
        answers[name] = question.read(rows.slice(at, at + question.steps.length))
        at += question.steps.length
      }
      return answers as Answers<Q>
    },
  }
}

/** A question of one statement. */
export function question<T>(
  name: string,
  text: string,
  values: Step['values'],
  read: (rows: readonly WireRow[]) => T,
): Question<T> {
  return { steps: [{ name, text, values }], read: ([rows]) => read(rows!) }
}
