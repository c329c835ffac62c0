import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Those that take longest begin, so that none of them runs alone at the end; the rest go project by project. */
const longest = ['faults/faults', 'database/embedded-postgres', 'process/demo-cafe']
const projects = ['process', 'contract', 'api', 'unit']

/** A worker is kept for the next file only where that is of the same project. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId, project }: TestSpecification) => {
      const place = longest.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`))
      return place < 0 ? longest.length + projects.indexOf(project.name) : place
    }
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b))
  }
}
