import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { OwnError } from './own-api.ts'

const known = [
  'offline',
  'invalid_code',
  'code_expired',
  'customer_not_active',
  'customer_not_reachable',
  'sender_not_found',
  'invalid_phone',
  '_invalid_payload',
  '_unauthorized',
  '_not_found',
]

/** Runs one request at a time, and keeps what went wrong with it. */
export function useAttempt() {
  const [isBusy, setIsBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>()
  const attempt = async (work: () => Promise<unknown>) => {
    setIsBusy(true)
    setFailure(undefined)
    try {
      await work()
    } catch (error) {
      setFailure(error)
    } finally {
      setIsBusy(false)
    }
  }
  return { isBusy, failure, attempt }
}

export function Trouble({ failure }: { readonly failure: unknown }) {
  const { t } = useTranslation('wallet-details')
  if (failure === undefined) return null
  const { code, retryAfter } = failure instanceof OwnError ? failure : { code: 'other', retryAfter: 0 }
  const text =
    code === '_too_many_requests'
      ? t('trouble.wait', { minutes: Math.max(1, Math.ceil(retryAfter / 60)) })
      : t(`trouble.${known.includes(code) ? code : 'other'}`)
  return <p role="alert">{text}</p>
}
