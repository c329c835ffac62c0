import type { Channel } from '../../ui/messages/message.ts'

interface Draft {
  readonly subject: string
  readonly body: string
}

interface Trouble {
  readonly problem: 'empty' | 'unknown' | 'missing'
  /** In braces, as it is written. */
  readonly placeholder?: string
}

/** What the service would refuse in a text, said while it is being written. */
export function troubleIn(
  { subject, body }: Draft,
  channel: Channel,
  placeholders: readonly string[],
): Trouble | undefined {
  if (body.trim() === '' || (channel === 'email' && subject.trim() === '')) return { problem: 'empty' }
  const written = `${channel === 'email' ? subject : ''} ${body}`
  for (const [placeholder, name] of written.matchAll(/\{([a-z]+)\}/g)) {
    if (!placeholders.includes(name!)) return { problem: 'unknown', placeholder }
  }
  const needed = ['code', 'link'].find((name) => placeholders.includes(name))
  if (needed && !body.includes(`{${needed}}`)) return { problem: 'missing', placeholder: `{${needed}}` }
  return undefined
}
