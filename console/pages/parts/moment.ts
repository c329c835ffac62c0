import i18next from 'i18next'

/** To the second: calls follow each other quickly. */
export function formatMoment(at: string, timeZone: string): string {
  return new Intl.DateTimeFormat(i18next.language, {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZone,
  }).format(new Date(at))
}
