import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { toast } from '../../ui/toast.ts'

type Load<P> = () => Promise<{ default: ComponentType<P> }>

const panels: (() => Promise<unknown>)[] = []

/** Loads the parts that a till without a network needs, so that the browser keeps them. */
export const loadPanels = (): Promise<unknown> => Promise.allSettled(panels.map((load) => load()))

/**
 * A part of the till that is loaded when it is first opened. If that fails, such as without a network, an
 * error is shown, the till keeps working, and opening the part again retries. `lazyPage` would replace the
 * whole page.
 */
export function lazyPanel<P extends object>(
  load: Load<P>,
  { isKept = true }: { isKept?: boolean } = {},
): (props: P) => ReactNode {
  let Loaded: ComponentType<P> | undefined
  if (isKept) panels.push(load)
  return function LazyPanel(props: P) {
    const { t } = useTranslation('till')
    const [, redraw] = useState(false)
    useEffect(() => {
      if (Loaded) return
      load().then(
        (module) => {
          Loaded = module.default
          redraw(true)
        },
        () => toast.failure(new Error(t('notLoaded'))),
      )
    }, [t])
    return Loaded ? <Loaded {...props} /> : null
  }
}
