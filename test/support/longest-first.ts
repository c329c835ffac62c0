import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Slow files that the run would have to wait for if they came last. */
const longest = [
  'browser/screenshots',
  'browser/home',
  'browser/till',
  'browser/campaigns',
  'process/demo-cafe.full',
  'process/embedded-postgres',
  'process/start-and-stop',
  'process/backup',
  'process/app-role',
  'process/archive',
  'process/archive-crash',
  'limits/unread-replies',
  'faults/faults',
  'limits/late-calls.full',
  'limits/slow-sockets',
  'contract/schemas',
  'contract/tenants',
  'limits/turns',
  'process/npm-start',
  'process/cli-embedded-database',
  'contract/sockets',
]

/** Runs the slowest files first, so that none of them runs alone at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
      return place < 0 ? longest.length : place
    }
    const projectOf = ({ project }: TestSpecification) => (project.name === 'unit' ? 1 : 0)
    // A process is reused for the next file only if both belong to the same project.
    return (await super.sort(files)).toSorted(
      (a, b) => projectOf(a) - projectOf(b) || placeOf(a) - placeOf(b),
    )
  }
}
