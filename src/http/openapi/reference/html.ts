import { escapeHtml } from '../../../domain/escape-html.ts'

/** HTML as text. Interpolated values are escaped unless they are `Html` themselves. */
export interface Html {
  readonly html: string
}

type Part = Html | string | number | undefined | false | readonly Part[]

export function html(texts: TemplateStringsArray, ...parts: Part[]): Html {
  return { html: outdented(texts).reduce((all, text, i) => all + render(parts[i - 1]) + text) }
}

const known = new WeakMap<TemplateStringsArray, string[]>()

/** The indentation of the templates is for those who read them here; without it the page is 6% smaller. */
function outdented(texts: TemplateStringsArray): string[] {
  const found = known.get(texts) ?? texts.map((text) => text.replaceAll(/\n\s+/g, '\n'))
  known.set(texts, found)
  return found
}

function render(part: Part): string {
  if (part === undefined || part === false) return ''
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part))
  if ('html' in part) return part.html
  return part.map(render).join('')
}

/** Text that stands between tags, never in an attribute: quotes stay as they are, and the examples are full of them. */
export function betweenTags(text: string): Html {
  return { html: escapeHtml(text, /[&<>]/g) }
}

/**
 * Renders the subset of Markdown that our descriptions use: paragraphs, numbered lists, `code`, **strong** and
 * links to our own pages.
 */
export function markdown(text: string): Html {
  const blocks = text.split(/\n{2,}/).map((block) => {
    const items = block.split('\n')
    if (!items.every((item) => /^\d+\. /.test(item))) return html`<p>${inline(block)}</p>`
    return html`<ol>${items.map((item) => html`<li>${inline(item.replace(/^\d+\. /, ''))}</li>`)}</ol>`
  })
  return html`${blocks}`
}

export function inline(text: string): Html {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\(\/[^)]+\))/).map((part) => {
    const link = /^\[([^\]]+)\]\((\/[^)]+)\)$/.exec(part)
    if (link) return html`<a href="${link[2]}">${link[1]}</a>`
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`
    if (part.startsWith('**')) return html`<strong>${part.slice(2, -2)}</strong>`
    return html`${part}`
  })
  return html`${parts}`
}

/** JSON with syntax highlighting for keys, strings and other values. */
export function jsonBlock(value: unknown): Html {
  const text = JSON.stringify(value, undefined, 2)
  const parts = text.split(
    /("(?:[^"\\]|\\.)*"(?:\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)/,
  )
  const marked = parts.map((part, i) => {
    if (i % 2 === 0) return betweenTags(part)
    if (part.endsWith(':')) return html`<span class="k">${betweenTags(part.slice(0, -1))}</span>:`
    return html`<span class="${part.startsWith('"') ? 's' : 'n'}">${betweenTags(part)}</span>`
  })
  return html`<pre tabindex="0"><code>${marked}</code></pre>`
}
