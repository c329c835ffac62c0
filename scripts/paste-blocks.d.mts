export interface Block {
  code: string
  /** Where its first line is in the document. */
  readonly line: number
  readonly expected?: string
}

export function readBlocks(markdown: string, kinds: readonly string[]): Block[]

export function pasteBlocks(
  blocks: readonly Block[],
  shell: readonly [name: string, ...options: string[]],
  place: { readonly cwd: string; readonly env?: Record<string, string | undefined> },
): Promise<string[]>

export function matchesOutput(expected: string, actual: string): boolean
