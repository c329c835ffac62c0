import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { packageRoot } from '../../src/package-root.ts'

/** Builds what has changed since `npm ci`, because the tests start the service as it is shipped. */
export default async function build(): Promise<void> {
  await promisify(execFile)(process.execPath, ['build.mjs'], { cwd: packageRoot })
}
