/**
 * Lets the till open without a network. Its files are kept first and the page that names them last, so that a
 * kept page is always complete, also when the network goes while a new version arrives.
 */
import { dropOlderVersions, keepFiles, keepPage, startWorker } from '../../offline/keep-files.ts'

const kept = { worker: '/till-offline.js', scope: '/till', cache: 'lw-till' }
const page = '/till'

const isFile = (address: string) =>
  /^\/(?:assets\/|icon\.svg$|color-scheme\.js$)/.test(new URL(address).pathname)

export async function keepTill(loadPanels: () => Promise<unknown>): Promise<void> {
  if (!(await startWorker(kept))) return
  await loadPanels()
  const files = await keepFiles(kept, isFile)
  if (await keepPage(kept, page)) await dropOlderVersions(kept, files)
}
