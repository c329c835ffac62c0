// Renders the guides, the error reference and the changelog to pages in the look of the API reference, which the
// service serves under /docs: people who run it may have neither the repository nor the internet at hand. Their menu
// is docs/pages.json. Also writes the index of their search.
import { readFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Marked } from 'marked'
import { buildSearchIndex } from './build-search-index.mjs'
import { languages } from './guide-steps.mjs'

const groups = JSON.parse(readFileSync(fileURLToPath(new URL('../docs/pages.json', import.meta.url)), 'utf8'))
const list = groups.flatMap(({ pages }) => pages)

/** What the pages are made of. */
export const docSources = ['docs/pages.json', ...list.map(({ source }) => source)]

const repository = 'https://github.com/loyalty-wallet/loyalty-wallet/blob/main/'
const names = { bash: 'curl', ts: 'TypeScript', python: 'Python' }

/** Returns the pages. */
export async function buildDocs(root, folder, api) {
  const pages = await Promise.all(
    list.map(async (page) => ({ ...page, text: await readFile(join(root, page.source), 'utf8') })),
  )
  for (const page of pages) {
    const file = join(folder, `docs/${page.path}.html`)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, render(page))
  }
  const index = buildSearchIndex(pages, api, slugOf)
  await writeFile(join(folder, 'search-index.js'), `export default ${JSON.stringify(index)}\n`)
  return pages
}

function render({ path, source, text, title }) {
  const { content, headings } = renderMarkdown(text, source)
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
<link rel="stylesheet" href="/docs/guide.css">
<script src="/docs/reference.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the page</a>
<header>
  <div class="brand"><a href="/docs">Loyalty Wallet</a></div>
  <div class="tools" hidden>
    <label class="search"><span>Search</span><input id="search" type="search" placeholder="Search the docs" autocomplete="off" aria-keyshortcuts="/"><kbd>/</kbd></label>
    <button id="theme" type="button">Theme: system</button>
  </div>
  <div id="results"><p role="status"></p><ul></ul></div>
  <details id="menu" open>
    <summary>Contents</summary>
    <nav aria-label="Documentation">
      ${places.length > 1 ? `<section><h2>On this page</h2><ul>${places.join('')}</ul></section>` : ''}
      <section><h2><a href="/docs">API reference</a></h2></section>
      ${groups.map((group) => menuOf(group, path)).join('\n')}
    </nav>
  </details>
</header>
<main id="main" tabindex="-1" class="guide">
${content}${neighborsOf(path)}</main>
</body>
</html>
`
}

function menuOf({ group, pages }, current) {
  const items = pages.map(({ path, title }) => {
    const mark = path === current ? ' aria-current="page"' : ''
    return `<li><a class="page" href="/docs/${path}"${mark}>${escaped(title)}</a></li>`
  })
  return `<section><h2>${escaped(group)}</h2><ul>${items.join('')}</ul></section>`
}

function neighborsOf(path) {
  const at = list.findIndex((page) => page.path === path)
  const link = (page, rel, word) =>
    page
      ? `<a rel="${rel}" href="/docs/${page.path}"><span>${word}</span> ${escaped(page.title)}</a>`
      : '<span></span>'
  return `<nav class="neighbors" aria-label="Previous and next page">${link(list[at - 1], 'prev', 'Previous')}${link(list[at + 1], 'next', 'Next')}</nav>\n`
}

function renderMarkdown(text, source) {
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
      code: renderCode,
      table: renderTable,
      checkbox: () => '<span class="box">☐</span> ',
      // Comments are for those who write the page; anchors are the only HTML in it.
      html: ({ text: code, isOurs }) => (isOurs || /^<\/?a\b/.test(code) ? code : ''),
    },
  })
  const content = marked.parser(withTabs(marked.lexer(text)))
  return { content, headings }
}

/** The same in several languages, one after the other, becomes one block, of which the page shows one at a time. */
function withTabs(tokens) {
  const result = []
  for (const token of tokens) {
    const isSnippet = token.type === 'code' && languages.includes(token.lang)
    const open = result.at(-1)
    if (isSnippet && token.lang !== languages[0] && open?.tabs) open.tabs.push(token)
    else if (isSnippet) result.push({ type: 'html', isOurs: true, tabs: [token] })
    else if (token.type !== 'space') result.push(token)
  }
  for (const token of result)
    if (token.tabs) token.text = token.raw = `<div class="tabs">${token.tabs.map(renderTab).join('')}</div>\n`
  return result
}

const renderTab = (token) =>
  `<div class="tab" data-lang="${token.lang}"><p class="lang">${names[token.lang]}</p>${renderCode(token)}</div>`

const captions = {
  'text output': 'Output',
  'json excerpt': 'Response, in part',
  'json payload': 'Message',
  jsonata: 'Mapping',
  'json made': 'What is made of it',
}

function renderCode({ text: code, lang = '' }) {
  const [name] = lang.split(' ')
  const isCommand = /^(?:sh|bash|ts|js|python)$/.test(name)
  const block = `<pre tabindex="0"${isCommand ? ' class="shell"' : ''}><code>${highlight(code, name)}</code></pre>\n`
  const caption = captions[lang]
  return caption ? `<p class="lang">${caption}</p>${block}` : block
}

const words =
  'import|from|const|let|await|async|for|of|in|if|else|try|catch|except|as|throw|raise|return|new|not|and|or|with|print|break|do|done'
const comment = { bash: '#', sh: '#', python: '#', ts: '//', js: '//' }

/** Comments, strings, keys, numbers and a few words stand out; anything finer would take a parser. */
function highlight(code, lang) {
  const start = comment[lang]
  if (!start && lang !== 'json') return escaped(code)
  const isJson = lang === 'json'
  const parts = [
    start ? `(?<c>(?<=^|\\s)${start}.*)` : '(?<c>(?!))',
    isJson ? '(?<k>"(?:[^"\\\\]|\\\\.)*"(?=\\s*:))' : '(?<k>(?!))',
    '(?<s>"(?:[^"\\\\\\n]|\\\\.)*"|\'[^\'\\n]*\'|`[^`]*`)',
    '(?<n>(?<![\\w$-])\\d[\\d_.]*(?![\\w-]))',
    isJson ? '(?<w>\\b(?:true|false|null)\\b)' : `(?<w>(?<![\\w.$-])(?:${words})(?![\\w-]))`,
  ]
  let end = 0
  let result = ''
  for (const { 0: found, index, groups: kinds } of code.matchAll(new RegExp(parts.join('|'), 'gm'))) {
    const kind = Object.keys(kinds).find((name) => kinds[name] !== undefined)
    result += `${escaped(code.slice(end, index))}<span class="${kind}">${escaped(found)}</span>`
    end = index + found.length
  }
  return result + escaped(code.slice(end))
}

function renderTable({ header, rows }) {
  const cells = (row, tag) =>
    row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')
  const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n')
  // Markdown has no table without a header.
  const head = header.some(({ text }) => text) ? `<thead><tr>${cells(header, 'th')}</tr></thead>\n` : ''
  const kind = header.length > 2 ? 'table many' : 'table'
  return `<div class="${kind}" tabindex="0" role="region" aria-label="Table"><table>
${head}<tbody>${body}</tbody></table></div>\n`
}

/** The ID that GitHub gives a heading, so that a link works in both places. */
function slugOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}

/** A link between files of the repository leads to the page here, or else to the repository. */
function addressOf(href, source) {
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return href
  const [file, place] = href.split('#')
  const target = posix.normalize(posix.join(posix.dirname(source), file))
  const page = list.find((known) => known.source === target)
  return `${page ? `/docs/${page.path}` : repository + target}${place ? `#${place}` : ''}`
}

const escaped = (text) => text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
