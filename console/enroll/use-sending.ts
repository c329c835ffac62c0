import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Failed } from './requests.ts'

/** Codes that have words of their own on this page. */
const known = [
  'invalid_phone',
  'enrollment_closed',
  'invalid_proof',
  '_invalid_payload',
  '_too_many_requests',
  'unreachable',
]

/** Sends one thing at a time, and says what went wrong in the reader's language. */
export function useSending() {
  const { t } = useTranslation('enroll')
  const [isSending, setSending] = useState(false)
  const [failed, setFailed] = useState<Failed>()
  const send = (work: () => Promise<void>): void => {
    if (isSending) return
    setSending(true)
    setFailed(undefined)
    work()
      .catch((error: unknown) => setFailed(error instanceof Failed ? error : new Failed('unreachable')))
      .finally(() => setSending(false))
  }
  const code = failed && (known.includes(failed.code) ? failed.code : 'unreachable')
  const minutes = Math.max(1, Math.ceil((failed?.retryAfter ?? 60) / 60))
  return { send, isSending, problem: code && t(`problems.${code}`, { count: minutes }) }
}
