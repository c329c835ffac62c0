// Runs the commands of a document as a reader would paste them: all blocks in one shell, because later ones use the
// variables of earlier ones. What a block prints is compared with the `text output` block that follows it, in which
// `…` stands for anything that differs between two runs.
import { spawn } from 'node:child_process'

/** The blocks whose info string is one of `kinds`, each with the output that the document shows for it. */
export function readBlocks(markdown, kinds) {
  const blocks = []
  let last
  for (const { 1: kind, 2: text, index } of markdown.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)) {
    const code = text.trimEnd()
    if (kind === 'text output' && last) last.expected = code
    last = kinds.includes(kind) ? { code, line: markdown.slice(0, index).split('\n').length + 1 } : undefined
    if (last) blocks.push(last)
  }
  return blocks
}

/** What each block prints. Fails with the first block that does. */
export async function pasteBlocks(blocks, [name, ...options], { cwd, env = process.env }) {
  const mark = '@@ next block @@'
  const script = blocks.map(({ code }) => `${code}\necho '${mark}'`).join('\n')
  const shell = spawn(name, [...options, '-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [output, errors] = ['', '']
  shell.stdout.setEncoding('utf8').on('data', (chunk) => {
    output += chunk
  })
  shell.stderr.setEncoding('utf8').on('data', (chunk) => {
    errors += chunk
    // Enough to explain a failure, without all that went well before it.
    errors = errors.slice(-4_000)
  })
  const code = await new Promise((resolve) => shell.once('close', resolve))
  const outputs = output.split(`${mark}\n`)
  if (code !== 0) {
    const failed = blocks[outputs.length - 1]
    throw new Error(
      `in ${name}, this block (line ${failed?.line}) exited with code ${code}:\n${failed?.code}\n${outputs.at(-1)}${errors}`,
    )
  }
  return outputs.map((text) => text.trimEnd())
}

export function matchesOutput(expected, actual) {
  const pattern = expected.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${pattern.join('.*?')}$`, 's').test(actual)
}
