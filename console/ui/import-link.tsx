import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { paths } from '../paths.ts'
import { IconFileImport } from './icons.ts'

interface ImportLinkProps {
  readonly kind: 'customers' | 'products' | 'branches'
  readonly label: string
}

/** Leads to the page on which files of this kind come in and leave. */
export function ImportLink({ kind, label }: ImportLinkProps) {
  return (
    <Button
      component={Link}
      to={paths.import()}
      search={{ kind } as never}
      variant="default"
      leftSection={<IconFileImport size={16} />}
    >
      {label}
    </Button>
  )
}
