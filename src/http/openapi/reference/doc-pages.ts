import groups from '../../../../docs/pages.json' with { type: 'json' }

interface DocPage {
  /** Below `/docs`. */
  readonly path: string
  readonly title: string
}

/** The pages under /docs besides the API reference, as their menu shows them; `scripts/build-docs.mjs` renders them. */
export const docGroups: readonly { readonly group: string; readonly pages: readonly DocPage[] }[] = groups
