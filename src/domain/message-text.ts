/** Turns the words of a template into a message: plain text, and HTML that looks the same everywhere. */
import { escapeHtml } from './escape-html.ts'
import type { Placeholder } from './message.ts'

export interface TemplateText {
  /** Only for email. */
  readonly subject?: string
  readonly body: string
}

export type Values = Readonly<Partial<Record<Placeholder, string>>>

const placeholderPattern = /\{([a-z]+)\}/g

/** The placeholders in a text that are not among the allowed ones. */
export function unknownPlaceholders(text: string, allowed: readonly string[]): string[] {
  const found = [...text.matchAll(placeholderPattern)].map(([, name]) => name!)
  return [...new Set(found)].filter((name) => !allowed.includes(name))
}

/** A value that is not known leaves nothing behind. */
export function fillIn(text: string, values: Values): string {
  return text.replace(placeholderPattern, (_, name: Placeholder) => values[name] ?? '')
}

export interface Footer {
  readonly text: string
  readonly url: string
}

export interface HtmlLook {
  readonly language: string
  readonly direction: 'ltr' | 'rtl'
  readonly merchant: string
  readonly color: string
  /** How to stop such messages. */
  readonly footer?: Footer
}

/** Addresses become links; a blank line begins a paragraph. Mail programs know inline styles only. */
export function toHtml(body: string, look: HtmlLook): string {
  const paragraphs = body
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) => `<p style="margin:0 0 16px">${linked(paragraph)}</p>`)
    .join('\n')
  const footer = look.footer
    ? `\n<p style="margin:24px 0 0;font-size:13px;color:#666"><a href="${escapeHtml(look.footer.url)}" style="color:#666">${escapeHtml(look.footer.text)}</a></p>`
    : ''
  return `<!doctype html>
<html lang="${look.language}" dir="${look.direction}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head>
<body style="margin:0;padding:24px;background:#f5f5f5;font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,sans-serif;color:#222">
<div style="max-width:560px;margin:0 auto;padding:24px;background:#fff;border-top:4px solid ${look.color};border-radius:8px">
<p style="margin:0 0 16px;font-weight:600">${escapeHtml(look.merchant)}</p>
${paragraphs}${footer}
</div>
</body>
</html>
`
}

function linked(paragraph: string): string {
  return escapeHtml(paragraph)
    .replace(/https?:\/\/[^\s<]*[^\s<.,;:!?)]/g, (url) => `<a href="${url}" style="color:#0b57d0">${url}</a>`)
    .replaceAll('\n', '<br>\n')
}

/** With the way to unsubscribe at the end. */
export const withFooter = (body: string, footer: Footer | undefined): string =>
  footer ? `${body.trim()}\n\n${footer.text}: ${footer.url}\n` : `${body.trim()}\n`
