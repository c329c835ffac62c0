import { useState } from 'react'

export type CodeKind = 'code128' | 'qr'

const storageKey = 'lw-code-kind'

/** The kind of code that this phone was last shown at the till with: what worked there works again. */
export function useCodeKind(): [CodeKind, (kind: CodeKind) => void] {
  const [kind, setKind] = useState<CodeKind>(() =>
    localStorage.getItem(storageKey) === 'qr' ? 'qr' : 'code128',
  )
  return [
    kind,
    (chosen) => {
      localStorage.setItem(storageKey, chosen)
      setKind(chosen)
    },
  ]
}
