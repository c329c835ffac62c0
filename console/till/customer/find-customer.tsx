import { ActionIcon, Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../api/client.ts'
import { Failure } from '../../ui/failure.tsx'
import { IconCamera, IconSearch, IconUserPlus } from '../../ui/icons.ts'
import type { Customer } from '../sale/sale.ts'
import { lazyPanel } from '../shell/lazy-panel.tsx'
import { places } from '../shell/till-context.ts'

// The camera's WebAssembly is larger than the rest of the till, and most tills have a scanner.
const Camera = lazyPanel(() => import('../hardware/camera.tsx'), { isKept: false })
const RegisterForm = lazyPanel(() => import('./register-form.tsx'))

interface FindCustomerProps {
  readonly find: (text: string) => void
  readonly isReached: boolean
  readonly isBusy: boolean
  readonly error: Error | null | undefined
  /** Text of the last search. */
  readonly searched: string | undefined
  /** Replaces the default retry, which searches again. */
  readonly onRetry?: () => void
  readonly onRegistered: (customer: Customer) => void
}

export function FindCustomer(props: FindCustomerProps) {
  const { find, isReached, isBusy, error, searched, onRetry, onRegistered } = props
  const { t } = useTranslation('till')
  const [text, setText] = useState('')
  const [isCameraOpen, setCameraOpen] = useState(false)
  const [isRegistering, setRegistering] = useState(false)
  const isUnknown = searched !== undefined && error instanceof ApiError && error.code === 'customer_not_found'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim()) find(text.trim())
  }
  return (
    <Stack gap="sm">
      <form onSubmit={submit}>
        <Group gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            id={places.customer}
            label={t('find.label')}
            flex={1}
            miw={0}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
            autoComplete="off"
            autoFocus
            inputMode="text"
            enterKeyHint="search"
          />
          <ActionIcon type="submit" size={44} loading={isBusy} aria-label={t('find.submit')}>
            <IconSearch size={20} />
          </ActionIcon>
          <ActionIcon
            size={44}
            variant="default"
            aria-label={t('find.camera')}
            onClick={() => setCameraOpen(true)}
          >
            <IconCamera size={20} />
          </ActionIcon>
        </Group>
      </form>
      {!error && (
        <Text size="sm" c="dimmed">
          {t(isReached ? 'find.hint' : 'offline.findHint')}
        </Text>
      )}
      {isUnknown ? (
        <Alert color="yellow" title={t('find.unknown', { text: searched })} role="alert">
          <Button leftSection={<IconUserPlus size={18} />} onClick={() => setRegistering(true)} mt="xs">
            {t('find.register')}
          </Button>
        </Alert>
      ) : (
        error && <Failure error={error} onRetry={onRetry ?? (() => searched && find(searched))} />
      )}
      {!isUnknown && isReached && (
        <Button
          variant="subtle"
          leftSection={<IconUserPlus size={18} />}
          onClick={() => setRegistering(true)}
        >
          {t('find.registerNew')}
        </Button>
      )}
      {isRegistering && (
        <RegisterForm
          given={isUnknown ? searched : undefined}
          onClose={() => setRegistering(false)}
          onRegistered={(customer) => {
            setRegistering(false)
            onRegistered(customer)
          }}
        />
      )}
      {isCameraOpen && (
        <Camera
          onClose={() => setCameraOpen(false)}
          onScan={(code) => {
            setCameraOpen(false)
            find(code)
          }}
        />
      )}
    </Stack>
  )
}
