import { Select, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, dataOf } from '../../api/client.ts'
import { useProgram } from '../../i18n/campaign-names.ts'
import { FormModal } from '../../ui/form.tsx'
import { toast } from '../../ui/toast.ts'
import { useModalForm } from '../../ui/use-modal-form.ts'

interface IssueFormProps {
  readonly customer: string
  readonly isOpen: boolean
  readonly onClose: () => void
}

export function IssueForm({ customer, isOpen, onClose }: IssueFormProps) {
  const { t } = useTranslation('customers')
  const { campaigns } = useProgram()
  // Only published rewards can be issued; the draft may contain others.
  const published = campaigns.filter(({ version }) => version > 0)
  const { values, set, modal } = useModalForm({
    isOpen,
    onClose,
    initial: () => ({ campaign: published[0]?.id ?? '', reward: '' }),
    send: ({ campaign, reward }, header) =>
      dataOf(api.POST('/v1/coupons', { params: { header }, body: { customer, campaign, reward } })),
    onDone: () => toast.success(t('coupon.issued')),
  })
  const { data: rewards } = useQuery({
    queryKey: ['campaigns', 'rewards', values.campaign],
    enabled: isOpen && values.campaign !== '',
    queryFn: async () => {
      const { data } = await dataOf(
        api.GET('/v1/campaigns/{id}/versions', {
          params: { path: { id: values.campaign }, query: { limit: 1 } },
        }),
      )
      return data[0]?.definition.rewards ?? []
    },
  })
  return (
    <FormModal {...modal} title={t('coupon.issueTitle')} submitLabel={t('coupon.submit')}>
      <Select
        label={t('campaign')}
        data={published.map(({ id, name }) => ({ value: id, label: name }))}
        value={values.campaign}
        onChange={(campaign) => set({ campaign: campaign ?? '', reward: '' })}
        allowDeselect={false}
        required
      />
      <Select
        label={t('coupon.reward')}
        data={(rewards ?? []).map(({ key, name }) => ({ value: key, label: name ?? key }))}
        value={values.reward || null}
        onChange={(reward) => set({ reward: reward ?? '' })}
        allowDeselect={false}
        required
      />
      {rewards?.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('coupon.noRewards')}
        </Text>
      )}
    </FormModal>
  )
}
