import { Button, FileButton, Group, Stack, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { IconUpload } from '../../ui/icons.ts'
import { readKeyFile, UnusableFile } from './key-file.ts'

interface KeyFieldProps {
  readonly label: string
  readonly about: string
  readonly placeholder: string
  /** Endings of the files that it usually comes in. */
  readonly accept: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly isRequired?: boolean
  readonly hasFocus?: boolean
}

/** A key or a certificate, pasted as text or chosen as a file. */
export function KeyField(props: KeyFieldProps) {
  const { label, about, placeholder, accept, value, onChange, isRequired, hasFocus } = props
  const { t } = useTranslation('passes')
  const { mutate, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: readKeyFile,
    onSuccess: onChange,
  })
  return (
    <Stack gap={6}>
      <Textarea
        label={label}
        description={about}
        placeholder={placeholder}
        dir="ltr"
        rows={3}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        error={error && (error instanceof UnusableFile ? t(`form.${error.reason}`) : error.message)}
        required={isRequired}
        maxLength={20_000}
        autoComplete="off"
        spellCheck={false}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
        data-autofocus={hasFocus || undefined}
      />
      <Group>
        <FileButton accept={accept} onChange={(file) => file && mutate(file)}>
          {(button) => (
            <Button
              {...button}
              size="xs"
              variant="default"
              leftSection={<IconUpload size={15} />}
              aria-label={t('form.chooseOf', { field: label })}
            >
              {t('form.choose')}
            </Button>
          )}
        </FileButton>
      </Group>
    </Stack>
  )
}
