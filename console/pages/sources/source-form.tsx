import { Radio, Select, Stack, Switch, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { type Program, useProgram } from '../../i18n/campaign-names.ts'
import { FormModal } from '../../ui/form.tsx'
import { toast } from '../../ui/toast.ts'
import { useModalForm } from '../../ui/use-modal-form.ts'
import { exampleMapping } from './example.ts'
import { addSource, patchSource, type Source, type SourceKind } from './requests.ts'

type Added = Source & { readonly secret?: string }

interface SourceFormProps {
  readonly kind: SourceKind
  /** The source to change; without one, a new one is added. */
  readonly source?: Source
  readonly onClose: () => void
  readonly onAdded?: (source: Added) => void
}

interface Values {
  readonly name: string
  /** Undefined until chosen: then the only campaign there is. */
  readonly campaign: string | null | undefined
  readonly registersCustomers: boolean
  readonly environment: NonNullable<Source['environment']>
  readonly isSigned: boolean
  readonly signatureHeader: string
}

interface FieldsProps {
  readonly values: Values
  readonly set: (changes: Partial<Values>) => void
}

export function SourceForm({ kind, source, onClose, onAdded }: SourceFormProps) {
  const { t } = useTranslation('sources')
  const program = useProgram()
  const { values, set, modal } = useModalForm({
    isOpen: true,
    onClose,
    initial: (): Values => ({
      name: source?.name ?? (kind === 'json' ? '' : t(`kind.${kind}`)),
      campaign: source ? (source.campaign ?? null) : undefined,
      registersCustomers: source?.registersCustomers ?? false,
      environment: source?.environment ?? 'production',
      isSigned: source?.signatureHeader !== undefined,
      signatureHeader: source?.signatureHeader ?? '',
    }),
    send: ({ campaign = onlyCampaign(program), ...rest }) => save(kind, source, { ...rest, campaign }),
    onDone: (saved) => (source ? toast.success(t('common:saved')) : onAdded?.(saved)),
  })
  return (
    <FormModal
      {...modal}
      isWide
      title={t(source ? 'form.edit' : `form.add.${kind}`)}
      submitLabel={source ? t('common:save') : t('form.create')}
    >
      <TextInput
        label={t('developers:name')}
        description={t('form.nameAbout')}
        value={values.name}
        onChange={({ currentTarget: { value } }) => set({ name: value })}
        required
        maxLength={100}
        data-autofocus
      />
      {kind === 'square' && <EnvironmentField values={values} set={set} />}
      {kind === 'json' && <ProofFields values={values} set={set} />}
      <CampaignFields values={values} set={set} program={program} />
    </FormModal>
  )
}

const isLive = ({ status }: Program['campaigns'][number]): boolean => status === 'published'

function onlyCampaign({ campaigns }: Program): string | null {
  const live = campaigns.filter(isLive)
  return live.length === 1 ? live[0]!.id : null
}

function CampaignFields({ values, set, program }: FieldsProps & { readonly program: Program }) {
  const { t } = useTranslation('sources')
  const { campaign = onlyCampaign(program), registersCustomers } = values
  const options = program.campaigns
    .filter((item) => isLive(item) || item.id === campaign)
    .map(({ id, name }) => ({ value: id, label: name }))
  return (
    <>
      <Select
        label={t('campaign')}
        description={t('form.campaignAbout')}
        placeholder={t('anyCampaign')}
        data={options}
        value={campaign}
        onChange={(next) => set({ campaign: next })}
        // New customers need to know which card they get.
        required={registersCustomers}
        clearable
        searchable
      />
      <Switch
        mt={4}
        label={t('form.registers')}
        description={t('form.registersAbout')}
        checked={registersCustomers}
        onChange={({ currentTarget: { checked } }) => set({ registersCustomers: checked })}
      />
    </>
  )
}

function EnvironmentField({ values, set }: FieldsProps) {
  const { t } = useTranslation('sources')
  return (
    <Radio.Group
      label={t('form.environment')}
      value={values.environment}
      onChange={(environment) => set({ environment: environment as Values['environment'] })}
    >
      <Stack gap="xs" mt={6}>
        <Radio value="production" label={t('environment.production')} />
        <Radio value="sandbox" label={t('environment.sandbox')} description={t('form.sandboxAbout')} />
      </Stack>
    </Radio.Group>
  )
}

/** How the system proves that a request comes from it. */
function ProofFields({ values, set }: FieldsProps) {
  const { t } = useTranslation('sources')
  return (
    <>
      <Radio.Group
        label={t('form.proof')}
        value={values.isSigned ? 'signature' : 'bearer'}
        onChange={(proof) => set({ isSigned: proof === 'signature' })}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="bearer" label={t('form.bearer')} description={t('form.bearerAbout')} />
          <Radio value="signature" label={t('form.signature')} description={t('form.signatureAbout')} />
        </Stack>
      </Radio.Group>
      {values.isSigned && (
        <TextInput
          label={t('form.signatureHeader')}
          placeholder="x-signature"
          dir="ltr"
          value={values.signatureHeader}
          onChange={({ currentTarget: { value } }) => set({ signatureHeader: value })}
          required
          maxLength={100}
        />
      )}
    </>
  )
}

/** A new source of kind `json` starts with the example, which is then changed while looking at a real payload. */
function save(kind: SourceKind, source: Source | undefined, values: Values): Promise<Added> {
  const { campaign, registersCustomers, environment } = values
  const name = values.name.trim()
  const header = values.isSigned ? values.signatureHeader.trim() : undefined
  const ofSquare = kind === 'square' && { environment }
  if (source) {
    const ofJson = kind === 'json' && { signatureHeader: header ?? null }
    return patchSource(source.id, { name, campaign, registersCustomers, ...ofSquare, ...ofJson })
  }
  const ofJson = kind === 'json' && { signatureHeader: header, mapping: exampleMapping }
  return addSource({
    kind,
    name,
    campaign: campaign ?? undefined,
    registersCustomers,
    ...ofSquare,
    ...ofJson,
  })
}
