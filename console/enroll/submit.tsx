import { useTranslation } from 'react-i18next'

interface SubmitProps {
  readonly label: string
  readonly isSending: boolean
  readonly problem?: string
}

/** What went wrong stands above the button, where the reader is. */
export function Submit({ label, isSending, problem }: SubmitProps) {
  const { t } = useTranslation('enroll')
  return (
    <>
      {problem !== undefined && (
        <p className="problem" id="problem" role="alert">
          {problem}
        </p>
      )}
      <button type="submit" className="primary" aria-disabled={isSending} aria-busy={isSending}>
        {isSending && <span className="dots" aria-hidden="true" />}
        {isSending ? t('form.working') : label}
      </button>
    </>
  )
}
