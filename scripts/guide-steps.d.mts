type Language = 'bash' | 'ts' | 'python' | 'sh'

interface Step {
  readonly line: number
  readonly snippets: Readonly<Partial<Record<Language, string>>>
  readonly expected?: { readonly kind: string; readonly text: string }
}

export const languages: readonly Language[]
export function readSteps(markdown: string, name: string): Step[]
export function incompleteSteps(steps: readonly Step[], name: string): string[]
export function matchesShown(shown: unknown, actual: unknown, isExcerpt: boolean): boolean
