// What the search under /docs looks through: the sections of the pages, the operations of the reference and the error
// codes. A browser looks through all of it in a millisecond, so it needs no other structure.

const methods = ['get', 'post', 'put', 'patch', 'delete']
/** Too long, and rarely what is looked for: only its headings are found. */
const onlyHeadings = ['changelog']

/** How much of a section is kept to be shown, in characters; of the rest each word is kept once. */
const shownLength = 300

/** `pages` are `[path, title]`, `entries` are `[page, heading, anchor, text, more words]`, with the page's position. */
export function buildSearchIndex(pages, api, slugOf) {
  const entries = pages.flatMap((page, i) => sectionsOf(page, slugOf).map((section) => [i, ...section]))
  const operations = Object.entries(api.paths).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method])
      .map((method) => {
        const { summary, operationId, description = '' } = item[method]
        const text = `${method.toUpperCase()} ${path} ${operationId} ${description.split('\n', 1)[0]}`
        return [pages.length, summary, operationId, plain(text)]
      }),
  )
  return {
    pages: [...pages.map(({ path, title }) => [`/${path}`, title]), ['', 'API reference']],
    entries: [...entries, ...operations],
  }
}

function sectionsOf({ path, title, text }, slugOf) {
  const parts = text.replaceAll(/^```[\s\S]*?^```$/gm, '').split(/^(?=#{1,3} )/m)
  return parts.flatMap((part) => {
    const [, heading = title, body = ''] = /^#+ (.+)\n([\s\S]*)$/.exec(part) ?? []
    const isTop = !/^##/.test(part)
    const rows = path === 'errors' ? errorsIn(body) : []
    const words = onlyHeadings.includes(path) || rows.length > 0 ? '' : plain(body)
    return [[isTop ? '' : plain(heading), isTop ? '' : slugOf(heading), ...shortened(words)], ...rows]
  })
}

function shortened(text) {
  if (text.length <= shownLength) return [text]
  const shown = text.slice(0, text.lastIndexOf(' ', shownLength))
  const known = new Set(wordsOf(shown))
  const more = new Set(
    wordsOf(text.slice(shown.length)).filter((word) => word.length > 2 && !known.has(word)),
  )
  return [shown, [...more].sort().join(' ')]
}

const wordsOf = (text) => text.toLowerCase().split(/[^\p{L}\p{N}_]+/u)

/** Each code is a place of its own. */
function errorsIn(body) {
  return [...body.matchAll(/^\| <a id="(\w+)"><\/a>`\w+` \| ([^|]*) \| ([^|]*) \| (.*) \|$/gm)].map(
    ([, code, status, when, advice]) => [code, code, plain(`${status} ${when} ${advice}`)],
  )
}

function plain(markdown) {
  return markdown
    .replaceAll(/<[^>]*>|^\|[-|]+\|$/gm, ' ')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*|\\]|^- |☐|\[ \]/gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
