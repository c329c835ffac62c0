import { useTranslation } from 'react-i18next'
import { ChoiceFilter } from '../../ui/lists/filter-fields.tsx'
import { MessageList } from '../../ui/messages/message-list.tsx'
import { useStatusOptions } from '../../ui/status-badge.tsx'
import { shownKinds } from './kinds.ts'

export function MessageLog() {
  const { t } = useTranslation('messages')
  const statuses = useStatusOptions('message', [1, 2, 3, 4, 5, 6])
  const kinds = [...shownKinds, 'test'].map((kind) => ({ value: kind, label: t(`kind.${kind}.name`) }))
  return (
    <MessageList
      controls={
        <>
          <ChoiceFilter name="kind" label={t('log.message')} options={kinds} />
          <ChoiceFilter name="status" label={t('log.status')} options={statuses} />
        </>
      }
    />
  )
}
