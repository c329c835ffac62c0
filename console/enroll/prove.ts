import { createSearch } from './proof.ts'

export interface Challenge {
  readonly text: string
  readonly bits: number
}

export interface Proof {
  readonly challenge: string
  readonly nonce: string
}

/** Begins at once, in a worker; without workers the page itself searches, in short pieces. */
export function prove({ text, bits }: Challenge): Promise<Proof> {
  return inWorker(text, bits)
    .catch(() => inPieces(text, bits))
    .then((nonce) => ({ challenge: text, nonce }))
}

function inWorker(challenge: string, bits: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./proof-worker.ts', import.meta.url), { type: 'module' })
    worker.onmessage = ({ data }: MessageEvent<string>) => {
      worker.terminate()
      resolve(data)
    }
    worker.onerror = () => {
      worker.terminate()
      reject(new Error('no worker'))
    }
    worker.postMessage({ challenge, bits })
  })
}

async function inPieces(challenge: string, bits: number): Promise<string> {
  const search = createSearch(challenge, bits)
  for (;;) {
    const nonce = search.next()
    if (nonce !== undefined) return nonce
    await new Promise((resolve) => setTimeout(resolve))
  }
}
