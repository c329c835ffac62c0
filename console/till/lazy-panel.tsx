import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { toast } from '../ui/toast.ts'

type Load<P> = () => Promise<{ default: ComponentType<P> }>

/**
 * A part of the till that is not needed at first and comes when it is. Without a network it does not come: that is
 * said, the till goes on, and opening it again tries again.
 */
export function lazyPanel<P extends object>(load: Load<P>): (props: P) => ReactNode {
  let Loaded: ComponentType<P> | undefined
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
