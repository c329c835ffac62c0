import { Alert, Grid, Tabs, Text } from '@mantine/core'
import { useHotkeys, useMediaQuery } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, dataOf, type Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { type Definition, definitionOf, mergePatchOf, type Shapes } from '../../forms/definition.ts'
import { FormContext } from '../../forms/form-context.ts'
import { fieldId, toProblem } from '../../forms/places.ts'
import { paths } from '../../paths.ts'
import { IconBraces, IconForms, IconPlayerPlay, IconReportMoney, IconUserPlus } from '../../ui/icons.ts'
import { Page } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.ts'
import { Backtest } from './backtest.tsx'
import { CampaignActions } from './campaign-actions.tsx'
import { DefinitionForm } from './definition-form.tsx'
import { Enrollment } from './enrollment.tsx'
import { JsonEditor } from './json-editor.tsx'
import { firstBasket, Preview } from './preview.tsx'
import { campaignQuery } from './queries.ts'
import { SaveBar } from './save-bar.tsx'
import { SaveFailure } from './save-failure.tsx'
import { StatusBadges } from './status-badges.tsx'

interface CampaignEditorProps {
  readonly campaign: Schemas['Campaign']
  readonly shapes: Shapes
}

/** The draft of a campaign as a form or as JSON, next to a preview of what it would do with a basket. */
export function CampaignEditor({ campaign, shapes }: CampaignEditorProps) {
  const { t } = useTranslation('campaigns')
  const { currency, timezone } = useSession().organization
  const saved = useMemo(() => definitionOf(campaign), [campaign])
  // Without edits, the draft follows the service, including a colleague's changes.
  const [edited, setEdited] = useState<Definition>()
  const draft = edited ?? saved
  const patch = mergePatchOf(saved, draft)
  const isDirty = Object.keys(patch).length > 0
  const [isJsonBroken, setJsonBroken] = useState(false)
  // Invalid JSON exists only in the editor; increasing this count remounts the editor without it.
  const [discards, setDiscards] = useState(0)
  const [basket, setBasket] = useState(() => firstBasket(saved))
  const [tab, setTab] = useState<string | null>('form')
  const isWide = useMediaQuery('(min-width: 75em)') ?? true
  const { save, isSaving, saveError, forget } = useSave(campaign.id, () => setEdited(undefined))
  // Earlier problems may be fixed by now; the next save will tell.
  const edit = (next: Definition | undefined) => {
    setEdited(next)
    forget()
  }
  const problem = toProblem(saveError)
  useGoTo(tab === 'form' ? problem?.place : undefined)
  useHotkeys([['mod+S', () => isDirty && !isJsonBroken && save(patch)]], [])

  const isArchived = campaign.status === 'archived'
  const preview = (
    <Preview campaign={campaign.id} definition={draft} shapes={shapes} basket={basket} onBasket={setBasket} />
  )
  return (
    <FormContext.Provider
      value={{ definition: draft, problem, timeZone: timezone, currency, campaign: campaign.id }}
    >
      <Page
        title={campaign.name}
        parent={{ to: paths.campaigns(), title: t('title') }}
        about={<StatusBadges campaign={campaign} />}
        actions={
          <CampaignActions
            campaign={campaign}
            shapes={shapes}
            onBeforePublish={isDirty ? () => save(patch) : undefined}
            isBlocked={isJsonBroken || isSaving}
          />
        }
      >
        {isArchived && <Alert variant="default">{t('archivedAbout')}</Alert>}
        {saveError !== null && <SaveFailure error={saveError} problem={problem} shapes={shapes} />}
        <Grid gap="xl">
          <Grid.Col span={{ base: 12, lg: 7 }}>
            <Tabs value={!isWide || tab !== 'preview' ? tab : 'form'} onChange={setTab} keepMounted={false}>
              <EditorTabs isWide={isWide} />
              <Tabs.Panel value="form">
                <fieldset disabled={isArchived} style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
                  {/* Keys can change until the first version, then wallets and receipts use them. */}
                  <DefinitionForm shapes={shapes} onChange={edit} canRename={campaign.version === 0} />
                </fieldset>
              </Tabs.Panel>
              {!isWide && <Tabs.Panel value="preview">{preview}</Tabs.Panel>}
              <Tabs.Panel value="backtest">
                <Backtest campaign={campaign.id} definition={draft} shapes={shapes} />
              </Tabs.Panel>
              <Tabs.Panel value="enrollment">
                <Enrollment campaign={campaign} />
              </Tabs.Panel>
              <Tabs.Panel value="json" keepMounted>
                <JsonEditor
                  key={discards}
                  definition={draft}
                  isReadOnly={isArchived}
                  onChange={edit}
                  onBroken={setJsonBroken}
                />
              </Tabs.Panel>
            </Tabs>
          </Grid.Col>
          {isWide && <StickyColumn>{preview}</StickyColumn>}
        </Grid>
        <SaveBar
          isDirty={isDirty || isJsonBroken}
          isBlocked={isJsonBroken}
          isSaving={isSaving}
          onSave={() => save(patch)}
          onDiscard={() => {
            edit(undefined)
            setJsonBroken(false)
            setDiscards(discards + 1)
          }}
        />
        <Text size="xs" c="dimmed">
          {campaign.id}
        </Text>
      </Page>
    </FormContext.Provider>
  )
}

/** Stays in view while the form is scrolled. */
function StickyColumn({ children }: { readonly children: ReactNode }) {
  return (
    <Grid.Col span={5}>
      <div style={{ position: 'sticky', top: 76, maxHeight: 'calc(100vh - 90px)', overflowY: 'auto' }}>
        {children}
      </div>
    </Grid.Col>
  )
}

/** Beside a wide form there is room for the preview; on a narrow page it is a tab. */
function EditorTabs({ isWide }: { readonly isWide: boolean }) {
  const { t } = useTranslation('campaigns')
  return (
    <Tabs.List mb="md">
      <Tabs.Tab value="form" leftSection={<IconForms size={16} />}>
        {t('tabs.form')}
      </Tabs.Tab>
      {!isWide && (
        <Tabs.Tab value="preview" leftSection={<IconPlayerPlay size={16} />}>
          {t('tabs.preview')}
        </Tabs.Tab>
      )}
      <Tabs.Tab value="backtest" leftSection={<IconReportMoney size={16} />}>
        {t('tabs.backtest')}
      </Tabs.Tab>
      <Tabs.Tab value="json" leftSection={<IconBraces size={16} />}>
        {t('tabs.json')}
      </Tabs.Tab>
      <Tabs.Tab value="enrollment" leftSection={<IconUserPlus size={16} />}>
        {t('tabs.enrollment')}
      </Tabs.Tab>
    </Tabs.List>
  )
}

function useSave(id: string, onSaved: () => void) {
  const { t } = useTranslation('common')
  const queries = useQueryClient()
  const { mutateAsync, isPending, error, reset } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: (patch: object) =>
      dataOf(api.PATCH('/v1/campaigns/{id}', { params: { path: { id } }, body: patch as never })),
    onSuccess: (campaign) => {
      queries.setQueryData(campaignQuery(id).queryKey, campaign)
      onSaved()
      toast.success(t('saved'))
      return queries.invalidateQueries({ queryKey: ['campaigns'], refetchType: 'none' })
    },
  })
  // The error is shown in place; the caller only needs to know whether the save succeeded.
  const save = (patch: object): Promise<boolean> =>
    mutateAsync(patch).then(
      () => true,
      () => false,
    )
  return { save, isSaving: isPending, saveError: error, forget: reset }
}

/** Moves the focus to the field that a refusal is about, once it is rendered. */
function useGoTo(place: string | undefined): void {
  useEffect(() => {
    if (place === undefined) return
    const timer = setTimeout(() => {
      // A value in a list has no field of its own, but the list has one.
      const found = [place, place.replace(/\[\d+\]$/, '')]
        .map((item) => document.getElementById(fieldId(item)))
        .find((element) => element !== null)
      found?.focus({ preventScroll: true })
      found?.scrollIntoView({ block: 'center', behavior: 'smooth' })
    }, 250)
    return () => clearTimeout(timer)
  }, [place])
}
