import { type ComponentType, type ReactNode, use } from 'react'
import { loadTexts } from '../../i18n/languages.ts'

/** A part of the page that could not be loaded: no network, or a deployment removed its file. */
export class PartMissing extends Error {
  override readonly name = 'PartMissing'
  /** Drops the failed load so that the next attempt starts over. */
  readonly forget: () => void

  constructor(message: string, forget: () => void) {
    super(message)
    this.forget = forget
  }
}

/** Messages of browsers when `import()` finds no file, and of the bundler when a style sheet is missing. */
const notLoaded = /dynamically imported module|Importing a module script failed|Unable to preload CSS/

export const isPartMissing = (error: unknown): boolean =>
  error instanceof PartMissing || (error instanceof Error && notLoaded.test(error.message))

/**
 * A page that is loaded with its texts when it is first opened. A failure is thrown to the frame, which stays
 * (`not-loaded.tsx`). The failed load is kept until then: React renders a failed component once more, and
 * would load forever.
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
