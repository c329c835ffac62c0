import { Button } from '@mantine/core'
import { useCallback, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf, isUnanswered } from '../../api/client.ts'
import { EmptyState } from '../empty-state.tsx'
import { IconPlugConnectedX } from '../icons.ts'
import { Waiting } from '../waiting.tsx'
import { PartMissing } from './lazy-page.tsx'

const reloadedKey = 'lw-reloaded'
const pauseMs = 1_000

/** URL of the page's script, whose name contains the version of the build. */
const version = () => document.querySelector<HTMLScriptElement>('script[type=module][src]')?.src ?? ''

async function isServiceThere(): Promise<boolean> {
  try {
    await dataOf(api.GET('/auth/session'))
    return true
  } catch (error) {
    return !isUnanswered(error)
  }
}

/**
 * Replaces a page whose file could not be loaded. If the service responds, the file was removed by a
 * deployment, and the whole page is reloaded: once per version, so that a missing file does not cause an
 * endless loop.
 */
export function NotLoaded({ error }: { readonly error: Error }) {
  const { t } = useTranslation('shell')
  const [state, setState] = useState<'asking' | 'noConnection' | 'notLoaded'>('asking')
  useEffect(() => () => (error instanceof PartMissing ? error.forget() : undefined), [error])
  const look = useCallback(async (mayReload: () => boolean, times = 1) => {
    setState('asking')
    while (!(await isServiceThere())) {
      if (--times === 0) return setState('noConnection')
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
    if (!mayReload()) return setState('notLoaded')
    sessionStorage.setItem(reloadedKey, version())
    location.reload()
  }, [])
  const tryAgain = useCallback(() => look(() => true), [look])
  useEffect(() => {
    look(() => sessionStorage.getItem(reloadedKey) !== version())
    // The browser reports `online` before all requests succeed, so this tries several times.
    const whenBack = () => look(() => true, 3)
    window.addEventListener('online', whenBack)
    return () => window.removeEventListener('online', whenBack)
  }, [look])
  if (state === 'asking') return <Waiting />
  return (
    <EmptyState
      isPage
      title={t(`${state}.title`)}
      icon={<IconPlugConnectedX />}
      action={<Button onClick={tryAgain}>{t('common:tryAgain')}</Button>}
    >
      {t(`${state}.about`)}
    </EmptyState>
  )
}
