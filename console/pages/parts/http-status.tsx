import { Badge } from '@mantine/core'

/** The HTTP status: refused calls are the caller's to mend, failed ones the service's. */
export function HttpStatus({ status }: { readonly status: number }) {
  const color = status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'pine'
  return (
    <Badge variant="dot" color={color} className="lw-tabular">
      {status}
    </Badge>
  )
}
