/** Searches beside the page, so that typing never stutters. */
import { createSearch } from './proof.ts'

interface Task {
  readonly challenge: string
  readonly bits: number
}

addEventListener('message', ({ data }: MessageEvent<Task>) => {
  const search = createSearch(data.challenge, data.bits)
  for (;;) {
    const nonce = search.next()
    if (nonce !== undefined) return postMessage(nonce)
  }
})
