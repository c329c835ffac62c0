/** Repeats at the end of a run, in a line each, what failed: of a long log often only its end is kept. */
import type { Reporter, TestModule } from 'vitest/node'

/** Enough for what a page said on its console. */
const maxLength = 500

const inOneLine = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, maxLength)

export class FailuresLast implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      const errors = module.errors().map(({ message }) => ({ name: '', message }))
      for (const test of module.children.allTests('failed')) {
        const { errors: own = [] } = test.result()
        errors.push(...own.map(({ message }) => ({ name: ` > ${test.fullName}`, message })))
      }
      for (const { name, message } of errors) {
        process.stderr.write(`FAILED ${module.relativeModuleId}${name}: ${inOneLine(message)}\n`)
      }
    }
  }
}
