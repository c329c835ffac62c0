import { Radio, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure } from '../../ui/failure.tsx'
import { Section } from '../../ui/section.tsx'
import { toast } from '../../ui/toast.ts'
import { passesQuery, patchPasses, type WalletPasses } from './passes.ts'

type Code = WalletPasses['barcode']

/** Which code a pass shows first; saved as it is chosen. */
export function FirstCode({ barcode }: { readonly barcode: Code }) {
  const { t } = useTranslation('passes')
  const queries = useQueryClient()
  const [chosen, setChosen] = useState(barcode)
  const { mutate, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: (code: Code) => patchPasses({ barcode: code }),
    onSuccess: (saved) => {
      queries.setQueryData(passesQuery.queryKey, saved)
      toast.success(t('common:saved'))
    },
    onError: () => setChosen(barcode),
  })
  const choose = (code: Code) => {
    setChosen(code)
    mutate(code)
  }
  return (
    <Section title={t('code.title')}>
      {error && <Failure error={error} />}
      <Radio.Group
        aria-label={t('code.title')}
        description={t('code.about')}
        value={chosen}
        onChange={(value) => choose(value as Code)}
      >
        <Stack gap="xs" mt="sm">
          {(['code128', 'qr'] as const).map((code) => (
            <Radio key={code} value={code} label={t(`code.${code}`)} description={t(`code.${code}About`)} />
          ))}
        </Stack>
      </Radio.Group>
    </Section>
  )
}
