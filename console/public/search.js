// The search of the pages under /docs, in an index that is built with them. Loaded when a reader goes to its field.
import index from './search-index.js'

const most = 24
const entries = index.entries.map(([page, heading, anchor, text, more = '']) => {
  const [path, title] = index.pages[page]
  const url = `/docs${path}${anchor && `#${anchor}`}`
  const words = (value) => ` ${value.toLowerCase().replaceAll(/[^\p{L}\p{N}_]+/gu, ' ')} `
  // A code is found by its parts as well.
  const inHeading = words(heading ? `${heading} ${heading.replaceAll('_', ' ')}` : title)
  return { url, title, heading, text, inTitle: words(title), inHeading, inText: words(`${text} ${more}`) }
})

/** All words have to be somewhere; better in a heading than in the text, and whole rather than as a start of one. */
function scoreOf({ inTitle, inHeading, inText, heading, text }, words, query) {
  // A whole page comes before its sections, and an error code before all if it is what was typed.
  let score = heading === '' ? 4 : 0
  if (words.length > 1 && ` ${heading} ${text} `.toLowerCase().includes(` ${query} `)) score += 15
  for (const word of words) {
    const found =
      (heading === word && 30) ||
      ((inHeading.includes(` ${word} `) || inHeading.includes(` ${word}s `)) && 12) ||
      (inHeading.includes(` ${word}`) && 9) ||
      (inTitle.includes(` ${word}`) && 6) ||
      (inText.includes(` ${word} `) && 3) ||
      (inText.includes(` ${word}`) && 2) ||
      ((inHeading + inText).includes(word) && 1)
    if (!found) return 0
    score += found + (inTitle.includes(` ${word}`) ? 1 : 0)
  }
  return score
}

function find(query) {
  const words = query
    .toLowerCase()
    .split(/[^\p{L}\p{N}_]+/u)
    .filter(Boolean)
  if (words.length === 0) return { words, found: [] }
  const found = entries
    .map((entry) => ({ entry, score: scoreOf(entry, words, query.trim().toLowerCase()) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ entry }) => entry)
  return { words, found }
}

/** The text around the first word that is in it. */
function excerptOf(text, words) {
  const lower = text.toLowerCase()
  const at = Math.max(0, Math.min(...words.map((word) => (lower.indexOf(word) + 1 || text.length) - 1)))
  const from = at < 60 || at >= text.length ? 0 : text.indexOf(' ', at - 40) + 1
  return `${from > 0 ? '…' : ''}${text.slice(from, from + 110)}${text.length > from + 110 ? '…' : ''}`
}

function element(name, className, text) {
  const made = document.createElement(name)
  if (className) made.className = className
  made.textContent = text
  return made
}

export function start(input, panel, menu) {
  const [status, list] = panel.children

  const show = () => {
    const { words, found } = find(input.value)
    menu.hidden = words.length > 0
    const count = found.length === 1 ? '1 result' : `${found.length || 'No'} results`
    status.textContent = words.length > 0 ? count : ''
    list.replaceChildren(
      ...found.slice(0, most).map(({ url, title, heading, text }) => {
        const link = document.createElement('a')
        link.href = url
        link.append(element('strong', '', heading || title))
        if (heading) link.append(element('span', 'where', title))
        if (text) link.append(element('span', 'excerpt', excerptOf(text, words)))
        const item = document.createElement('li')
        item.append(link)
        return item
      }),
    )
  }
  const clear = () => {
    input.value = ''
    show()
  }

  input.addEventListener('input', show)
  panel.addEventListener('click', (event) => {
    const link = event.target.closest('a')
    // On the same page nothing is loaded that would end the search.
    if (link?.pathname === location.pathname) clear()
  })
  const move = (event) => {
    const links = [...list.querySelectorAll('a')]
    const at = links.indexOf(document.activeElement)
    if (event.key === 'ArrowDown') (links[at + 1] ?? links[0])?.focus()
    else if (event.key === 'ArrowUp') (links[at - 1] ?? input).focus()
    else if (event.key === 'Enter' && at < 0) links[0]?.click()
    else if (event.key === 'Escape') {
      clear()
      input.focus()
    } else return
    event.preventDefault()
  }
  for (const part of [input, panel])
    part.addEventListener('keydown', (event) => {
      if (part === input || event.key !== 'Enter') move(event)
    })
  show()
}
