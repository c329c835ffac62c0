// Renders the guides, the error reference and the changelog to pages in the look of the API reference, which the
// service serves under /docs: people who run it may have neither the repository nor the internet at hand.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { Marked } from 'marked'

/** The pages by their path below /docs, in the order of their menu. */
export const docPages = {
  'guides/api': 'docs/guides/api.md',
  errors: 'docs/errors.md',
  'guides/cookbook': 'docs/guides/cookbook.md',
  'guides/enrollment': 'docs/guides/enrollment.md',
  'guides/messages': 'docs/guides/messages.md',
  'guides/wallet-passes': 'docs/guides/wallet-passes.md',
  'guides/running': 'docs/guides/running.md',
  'guides/operate': 'docs/guides/operate.md',
  'guides/capacity': 'docs/guides/capacity.md',
  'guides/scale': 'docs/guides/scale.md',
  glossary: 'docs/glossary.md',
  changelog: 'CHANGELOG.md',
}

const repository = 'https://github.com/loyalty-wallet/loyalty-wallet/blob/main/'

/** Returns the pages. */
export async function buildDocs(root, folder) {
  const pages = await Promise.all(
    Object.entries(docPages).map(async ([path, source]) => {
      const text = await readFile(join(root, source), 'utf8')
      return { path, source, text, title: /^# (.+)$/m.exec(text)[1] }
    }),
  )
  for (const page of pages) {
    const file = join(folder, `docs/${page.path}.html`)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, render(page, pages))
  }
  return pages
}

function render({ path, source, text, title }, pages) {
  const headings = []
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: words }) {
        const id = slugOf(words)
        if (depth === 2) headings.push({ id, words: this.parser.parseInline(tokens) })
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }) {
        return `<a href="${escaped(addressOf(href, source))}">${this.parser.parseInline(tokens)}</a>`
      },
      code: ({ text: code, lang = '' }) =>
        `<pre tabindex="0"${lang.startsWith('sh') ? ' class="shell"' : ''}><code>${escaped(code)}</code></pre>\n`,
      table({ header, rows }) {
        const cells = (row, tag) =>
          row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')
        const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n')
        // Markdown has no table without a header.
        const head = header.some(({ text }) => text) ? `<thead><tr>${cells(header, 'th')}</tr></thead>\n` : ''
        const kind = header.length > 2 ? 'table many' : 'table'
        return `<div class="${kind}" tabindex="0" role="region" aria-label="Table"><table>
${head}<tbody>${body}</tbody></table></div>\n`
      },
      // Comments are for those who write the page; anchors are the only HTML in it.
      html: ({ text: code }) => (/^<\/?a\b/.test(code) ? code : ''),
    },
  })
  const content = marked.parse(text)
  const menu = pages.map(
    (page) =>
      `<li><a class="page" href="/docs/${page.path}"${page.path === path ? ' aria-current="page"' : ''}>${escaped(page.title)}</a></li>`,
  )
  const places = headings.map(({ id, words }) => `<li><a class="page" href="#${id}">${words}</a></li>`)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)} · Loyalty Wallet</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/reference.css">
<script src="/docs/reference.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the page</a>
<header>
  <div class="brand"><a href="/docs">Loyalty Wallet</a></div>
  <div class="tools" hidden><button id="theme" type="button">Theme: system</button></div>
  <details id="menu" open>
    <summary>Contents</summary>
    <nav aria-label="Documentation">
      <section><h2><a href="/docs">API reference</a></h2><ul>${menu.join('')}</ul></section>
      ${places.length > 1 ? `<section><h2>On this page</h2><ul>${places.join('')}</ul></section>` : ''}
    </nav>
  </details>
</header>
<main id="main" tabindex="-1" class="guide">
${content}</main>
</body>
</html>
`
}

/** The ID that GitHub gives a heading, so that a link works in both places. */
function slugOf(words) {
  return words
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}

/** A link between files of the repository leads to the page here, or else to the repository. */
function addressOf(href, source) {
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return href
  const [file, place] = href.split('#')
  const target = posix.normalize(posix.join(posix.dirname(source), file))
  const page = Object.entries(docPages).find(([, known]) => known === target)
  return `${page ? `/docs/${page[0]}` : repository + target}${place ? `#${place}` : ''}`
}

const escaped = (text) => text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
