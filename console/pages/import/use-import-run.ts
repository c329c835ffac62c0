import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { type ImportChoice, runImport } from './run-import.ts'

export interface Progress {
  readonly done: number
  readonly total: number
  readonly rowsPerSecond: number
  readonly secondsLeft?: number
}

/** Runs a dry run or an import, and says how far it is. */
export function useImportRun() {
  const queries = useQueryClient()
  const [progress, setProgress] = useState<Progress>()
  const isStopped = useRef(false)
  const run = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: (choice: ImportChoice) => {
      isStopped.current = false
      const startedAt = performance.now()
      const { rows } = choice.scanned
      setProgress({ done: 0, total: rows, rowsPerSecond: 0 })
      return runImport(choice, {
        onProgress(done, skipped) {
          const seconds = Math.max(0.001, (performance.now() - startedAt) / 1000)
          const rowsPerSecond = Math.round(done / seconds)
          const left = rows - done - skipped
          const secondsLeft = done > 0 ? Math.ceil((left * seconds) / done) : undefined
          setProgress({ done: done + skipped, total: rows, rowsPerSecond, secondsLeft })
        },
        isStopped: () => isStopped.current,
      })
    },
    onSettled: (_done, _error, { isDryRun, around }) =>
      isDryRun ? undefined : queries.invalidateQueries({ queryKey: [around.kind] }),
  })
  return {
    run,
    progress: run.isPending ? progress : undefined,
    stop: () => {
      isStopped.current = true
    },
  }
}
