import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { packageRoot } from '../../src/package-root.ts'

/** Builds what has changed since `npm ci`, and what tests start: the service with its packages in one file. */
export default async function build(): Promise<void> {
  await promisify(execFile)(process.execPath, ['build.mjs', '--for-tests'], { cwd: packageRoot })
}
