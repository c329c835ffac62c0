import { Button, FileButton, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { IconUpload } from '../../ui/icons.ts'
import { toLogo } from './logo-file.ts'

interface LogoFieldProps {
  /** URL of the logo, or the image itself as a data: URL. */
  readonly value: string
  readonly onChange: (value: string) => void
}

export function LogoField({ value, onChange }: LogoFieldProps) {
  const { t } = useTranslation('settings')
  const isFile = value.startsWith('data:')
  const { mutate, error } = useMutation({
    meta: { isShownInPlace: true },
    mutationFn: toLogo,
    onSuccess: onChange,
  })
  return (
    <Stack gap={6}>
      <TextInput
        label={t('logo.label')}
        description={t('logo.about')}
        placeholder="https://"
        type={isFile ? 'text' : 'url'}
        dir={isFile ? undefined : 'ltr'}
        value={isFile ? t('logo.uploaded') : value}
        readOnly={isFile}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        error={error && t('logo.unreadable')}
        maxLength={2000}
      />
      <Group gap="xs">
        <FileButton
          accept="image/png,image/jpeg,image/webp,image/svg+xml"
          onChange={(file) => file && mutate(file)}
        >
          {(props) => (
            <Button {...props} size="xs" variant="default" leftSection={<IconUpload size={15} />}>
              {t('logo.upload')}
            </Button>
          )}
        </FileButton>
        {value && (
          <Button size="xs" variant="subtle" color="gray" onClick={() => onChange('')}>
            {t('logo.remove')}
          </Button>
        )}
        <Text size="xs" c="dimmed">
          {t('logo.kinds')}
        </Text>
      </Group>
    </Stack>
  )
}
