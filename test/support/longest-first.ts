import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Would be waited for if they came last. */
const longest = [
  'browser/screenshots',
  'browser/home',
  'browser/campaigns',
  'faults/faults',
  'process/demo-cafe',
  'process/embedded-postgres',
  'contract/schemas',
  'process/start-and-stop',
  'limits/late-calls',
  'contract/tenants',
  'limits/turns',
]

/** Those that take longest begin, so that none of them runs alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
      return place < 0 ? longest.length : place
    }
    const projectOf = ({ project }: TestSpecification) => (project.name === 'unit' ? 1 : 0)
    // A process is kept for the next file only where that is of the same project.
    return (await super.sort(files)).toSorted(
      (a, b) => projectOf(a) - projectOf(b) || placeOf(a) - placeOf(b),
    )
  }
}
