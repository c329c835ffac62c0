/** Pastes the examples of the API reference into a shell, as a reader does who follows the page from its top. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Example {
  /** The operation, or the heading above commands that prepare others. */
  readonly name: string
  readonly commands: string
}

interface Pasted extends Example {
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

const mark = '@@ next example @@'
const status = '@@ status '

/**
 * All in one shell, because later examples use the variables of earlier ones; it ends at a variable that nothing
 * has set. In `dash` where there is one, since it can do no more than every shell can.
 */
export async function pasteExamples(examples: readonly Example[], dataDir: string): Promise<Pasted[]> {
  const folder = await mkdtemp(join(tmpdir(), 'lw-paste-'))
  try {
    await symlink(dataDir, join(folder, 'data'))
    await writeFile(join(folder, '.curlrc'), `silent\nwrite-out = "%{stderr}${status}%{http_code}\\n"\n`)
    const script = examples.flatMap(({ commands }) => [`echo '${mark}'; echo '${mark}' >&2`, commands])
    await writeFile(join(folder, 'script'), script.join('\n'))
    const { stdout, stderr } = await run('exec "$(command -v dash || command -v sh)" -u script', folder)
    return examples.map((example, i) => {
      const said = (stderr[i + 1] ?? 'was not reached').split('\n').filter((line) => line !== '')
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

/** What it prints between the marks, also if it fails. */
function run(command: string, folder: string): Promise<{ stdout: string[]; stderr: string[] }> {
  const env = { PATH: process.env.PATH, CURL_HOME: folder, TMPDIR: folder }
  const partsOf = (text: string) => text.split(`${mark}\n`)
  return new Promise((resolve) => {
    execFile('sh', ['-c', command], { cwd: folder, env, maxBuffer: 64 << 20 }, (_error, stdout, stderr) =>
      resolve({ stdout: partsOf(stdout), stderr: partsOf(stderr) }),
    )
  })
}
