import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../api/client.ts'
import { guide } from '../../paths.ts'
import { FormModal } from '../../ui/form.tsx'
import type { useModalForm } from '../../ui/use-modal-form.ts'
import { KeyProblems } from './key-problems.tsx'
import type { Wallet } from './passes.ts'

interface KeysModalProps {
  readonly wallet: Wallet
  readonly modal: ReturnType<typeof useModalForm>['modal']
  readonly children: ReactNode
}

/** The frame of both forms: refused keys are explained one problem at a time. */
export function KeysModal({ wallet, modal: { error, ...modal }, children }: KeysModalProps) {
  const { t } = useTranslation('passes')
  const problems = error instanceof ApiError ? error.problems : []
  return (
    <FormModal
      {...modal}
      error={problems.length > 0 ? undefined : error}
      isWide
      title={t(`add.${wallet}`)}
      submitLabel={t('common:save')}
    >
      <KeyProblems problems={problems.map((code) => ({ code }))} />
      <Anchor href={guide('wallet-passes')} target="_blank" size="sm" underline="always">
        {t('guide')}
      </Anchor>
      {children}
    </FormModal>
  )
}
