/** `demo.json`, where scripts find the credentials of the demo. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const fileIn = (dataDir: string) => join(dataDir, 'demo.json')

export async function removeDemoFile(dataDir: string): Promise<void> {
  await rm(fileIn(dataDir), { force: true })
}

/** Replaced atomically: a script that waits for the file never reads half of it. */
export async function writeDemoFile(dataDir: string, content: object): Promise<void> {
  await mkdir(dataDir, { recursive: true })
  const temporary = `${fileIn(dataDir)}.${process.pid}`
  await writeFile(temporary, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 })
  await rename(temporary, fileIn(dataDir))
}

/** Puts new credentials into the file of a running service; without a file, the next start writes it. */
export async function updateDemoFile(dataDir: string, changes: object): Promise<void> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(() => undefined)
  if (text !== undefined) await writeDemoFile(dataDir, { ...JSON.parse(text), ...changes })
}
