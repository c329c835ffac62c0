import { Box } from '@mantine/core'

interface CodeBlockProps {
  /** Label for screen readers. */
  readonly label: string
  readonly children: string
}

/** Preformatted code, left to right in every language; long lines scroll, also by keyboard. */
export function CodeBlock({ label, children }: CodeBlockProps) {
  return (
    <Box
      component="pre"
      dir="ltr"
      role="region"
      aria-label={label}
      tabIndex={0}
      m={0}
      p="sm"
      fz="xs"
      mah={480}
      className="lw-surface"
      style={{
        overflow: 'auto',
        fontFamily: 'var(--mantine-font-family-monospace)',
        lineHeight: 1.5,
      }}
    >
      {children}
    </Box>
  )
}

export function JsonBlock({ label, value }: { readonly label: string; readonly value: unknown }) {
  return <CodeBlock label={label}>{JSON.stringify(value, null, 2)}</CodeBlock>
}
