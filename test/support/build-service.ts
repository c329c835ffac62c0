import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { packageRoot } from '../../src/package-root.ts'

/** Whatever was changed since `npm ci`: the tests start the service as it is shipped. */
export default async function build(): Promise<void> {
  await promisify(execFile)(process.execPath, ['build.mjs'], { cwd: packageRoot })
}
