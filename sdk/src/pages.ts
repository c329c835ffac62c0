/** A list: `await` it for its first page, or iterate over the entries of all pages, which are read as they come. */
export interface Pages<T, Page> extends PromiseLike<Page>, AsyncIterable<T> {
  /** The pages themselves, each with its `nextCursor`. */
  pages(): AsyncIterable<Page>
}

interface AnyPage {
  readonly data: readonly unknown[]
  readonly nextCursor?: string
}

export function listPages(read: (cursor: string | undefined) => Promise<AnyPage>): Pages<unknown, AnyPage> {
  async function* pages() {
    let cursor: string | undefined
    do {
      const page = await read(cursor)
      yield page
      cursor = page.nextCursor
    } while (cursor !== undefined)
  }
  return {
    pages,
    // biome-ignore lint/suspicious/noThenProperty: a list is a promise of its first page.
    then: (resolve, reject) => read(undefined).then(resolve, reject),
    async *[Symbol.asyncIterator]() {
      for await (const { data } of pages()) yield* data
    },
  }
}
