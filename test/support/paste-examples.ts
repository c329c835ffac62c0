/** Pastes the examples of the API reference into a shell, as a reader does who follows the page from its top. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Example {
  /** The operation, or the place on the page of commands that prepare others. */
  readonly name: string
  readonly commands: string
}

export interface Pasted extends Example {
  /** Statuses of the requests it sent. */
  readonly statuses: readonly string[]
  /** What the shell and the programs complained about. */
  readonly complaints: string
  readonly output: string
}

export function readExamples(page: string): Example[] {
  const places = /<article id="(\w+)"|<h2 id="([\w-]+)"|<pre class="shell"[^>]*><code>(.*?)<\/code>/gs
  let name = ''
  return [...page.matchAll(places)].flatMap(([, operation, heading, code]) => {
    if (code !== undefined) return { name, commands: unescaped(code) }
    name = operation ?? heading ?? name
    return []
  })
}

const unescaped = (text: string) =>
  text.replaceAll(/&#(\d+);/g, (_match, code) => String.fromCharCode(Number(code)))

/** The shell with the fewest features that readers may have. */
export function plainShell(): string {
  try {
    execFileSync('dash', ['-c', ':'])
    return 'dash'
  } catch {
    return 'sh'
  }
}

/** All in one shell, because later examples use the variables of earlier ones. It stops at one that nobody set. */
export async function pasteExamples(
  examples: readonly Example[],
  { shell, dataDir }: { shell: string; dataDir: string },
): Promise<Pasted[]> {
  const folder = await mkdtemp(join(tmpdir(), 'lw-paste-'))
  try {
    await symlink(dataDir, join(folder, 'data'))
    await writeFile(join(folder, '.curlrc'), `silent\nwrite-out = "%{stderr}${status}%{http_code}\\n"\n`)
    const script = examples.flatMap(({ commands }) => [`echo '${mark}'; echo '${mark}' >&2`, commands])
    await writeFile(join(folder, 'script'), script.join('\n'))
    const { stdout, stderr } = await run(shell, folder)
    return examples.map((example, i) => {
      const said = (stderr[i + 1] ?? 'was not reached\n').split('\n').filter((line) => line !== '')
      return {
        ...example,
        statuses: said.filter((line) => line.startsWith(status)).map((line) => line.slice(status.length)),
        complaints: said.filter((line) => !line.startsWith(status)).join('\n'),
        output: stdout[i + 1] ?? '',
      }
    })
  } finally {
    await rm(folder, { recursive: true })
  }
}

const mark = '@@ next example @@'
const status = '@@ status '

/**
 * What it prints between the marks. Both go to files: what Node.js offers instead are sockets, which a command
 * cannot open as /dev/stderr.
 */
async function run(shell: string, folder: string): Promise<{ stdout: string[]; stderr: string[] }> {
  const env = { PATH: process.env.PATH, CURL_HOME: folder, TMPDIR: folder }
  const [stdout, stderr] = await Promise.all([
    open(join(folder, 'out'), 'w+'),
    open(join(folder, 'err'), 'w+'),
  ])
  const stdio = ['ignore', stdout.fd, stderr.fd] as const
  await once(spawn(shell, ['-u', 'script'], { cwd: folder, env, stdio: [...stdio] }), 'close')
  await Promise.all([stdout.close(), stderr.close()])
  const partsOf = async (name: string) => (await readFile(join(folder, name), 'utf8')).split(`${mark}\n`)
  return { stdout: await partsOf('out'), stderr: await partsOf('err') }
}
