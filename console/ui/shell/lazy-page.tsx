import { type ComponentType, type ReactNode, use } from 'react'
import { loadTexts } from '../../i18n/languages.ts'

/** A part of the page that could not be had: no network, or a deployment has taken its file away. */
export class PartMissing extends Error {
  override readonly name = 'PartMissing'
  /** Drops the failed load so that the next attempt starts over. */
  readonly forget: () => void

  constructor(message: string, forget: () => void) {
    super(message)
    this.forget = forget
  }
}

/** What browsers report when `import()` finds no file, and the bundler when it finds no style sheet. */
const notLoaded = /dynamically imported module|Importing a module script failed|Unable to preload CSS/

export const isPartMissing = (error: unknown): boolean =>
  error instanceof PartMissing || (error instanceof Error && notLoaded.test(error.message))

/**
 * A page that is loaded with its texts when it is first opened. A failure is thrown to the frame, which stays
 * (`not-loaded.tsx`). It is kept until then: React renders what failed once more, and would load forever.
 */
export function lazyPage(
  namespaces: readonly string[],
  name: string,
  load: () => Promise<Record<string, unknown>>,
): () => ReactNode {
  let loading: Promise<ComponentType> | undefined
  const forget = () => {
    loading = undefined
  }
  const start = async () => {
    try {
      const [module] = await Promise.all([load(), loadTexts(namespaces)])
      return module[name] as ComponentType
    } catch (error) {
      throw new PartMissing(String(error), forget)
    }
  }
  return function LazyPage() {
    loading ??= start()
    const Page = use(loading)
    return <Page />
  }
}
