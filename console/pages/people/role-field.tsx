import { Radio, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Schemas } from '../../api/client.ts'

export type Role = Schemas['Person']['role']
const roles = ['owner', 'manager', 'cashier'] as const satisfies readonly Role[]

interface RoleFieldProps {
  readonly value: Role
  readonly onChange: (value: Role) => void
}

/** The role, with a description of what each one allows. */
export function RoleField({ value, onChange }: RoleFieldProps) {
  const { t } = useTranslation('people')
  return (
    <Radio.Group label={t('role')} value={value} onChange={(next) => onChange(next as Role)}>
      <Stack gap="xs" mt={6}>
        {roles.map((role) => (
          <Radio
            key={role}
            value={role}
            label={t(`common:role.${role}`)}
            description={t(`roleAbout.${role}`)}
          />
        ))}
      </Stack>
    </Radio.Group>
  )
}
