// The script of the pages under /docs: search, theme, languages and copy buttons. Without it the page reads the
// same; the controls that need the script stay hidden until it runs.
const root = document.documentElement
const themes = ['system', 'light', 'dark']
const languages = { bash: 'curl', ts: 'TypeScript', python: 'Python' }
const read = (name, values) => {
  try {
    const value = localStorage.getItem(name)
    if (values.includes(value)) return value
  } catch {}
  return values[0]
}
const keep = (name, value) => {
  try {
    localStorage.setItem(name, value)
  } catch {}
}
const apply = (theme) => {
  if (theme === 'system') delete root.dataset.theme
  else root.dataset.theme = theme
}
let theme = read('theme', themes)
apply(theme)
root.dataset.lang = read('language', Object.keys(languages))

addEventListener('DOMContentLoaded', () => {
  const menu = document.getElementById('menu')
  const search = document.getElementById('search')
  const button = document.getElementById('theme')
  document.querySelector('.tools').hidden = false

  const isNarrow = matchMedia('(max-width: 60rem)')
  const fold = () => {
    menu.open = !isNarrow.matches
  }
  isNarrow.addEventListener('change', fold)
  fold()
  menu.addEventListener('click', (event) => {
    if (isNarrow.matches && event.target.closest('nav a')) menu.open = false
  })

  const label = () => {
    button.textContent = `Theme: ${theme}`
  }
  label()
  button.addEventListener('click', () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length]
    keep('theme', theme)
    apply(theme)
    label()
  })

  // Most readers never search, so what that takes is loaded with the first focus.
  search.addEventListener(
    'focus',
    () => import('./search.js').then(({ start }) => start(search, document.getElementById('results'), menu)),
    { once: true },
  )
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.target.closest('input, textarea, select')) return
    event.preventDefault()
    search.focus()
  })

  for (const block of document.querySelectorAll('pre.shell')) {
    const copy = document.createElement('button')
    copy.type = 'button'
    copy.className = 'copy'
    copy.textContent = 'Copy'
    copy.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(block.textContent)
        copy.textContent = 'Copied'
      } catch {
        copy.textContent = 'Press Ctrl+C'
        getSelection().selectAllChildren(block)
      }
      setTimeout(() => {
        copy.textContent = 'Copy'
      }, 1500)
    })
    const frame = document.createElement('div')
    frame.className = 'frame'
    block.replaceWith(frame)
    frame.append(block, copy)
  }

  const tabs = []
  const mark = () => {
    for (const tab of tabs) {
      const isChosen = tab.value === root.dataset.lang
      tab.setAttribute('aria-selected', isChosen)
      tab.tabIndex = isChosen ? 0 : -1
    }
  }
  const pick = (tab) => {
    const before = tab.getBoundingClientRect().top
    root.dataset.lang = tab.value
    keep('language', tab.value)
    mark()
    // Blocks above have changed their height as well.
    scrollBy(0, tab.getBoundingClientRect().top - before)
  }
  for (const [n, group] of document.querySelectorAll('.tabs').entries()) {
    const bar = document.createElement('div')
    bar.role = 'tablist'
    bar.ariaLabel = 'Language'
    for (const panel of group.querySelectorAll('.tab')) {
      const tab = document.createElement('button')
      tab.type = 'button'
      tab.role = 'tab'
      tab.value = panel.dataset.lang
      tab.textContent = languages[tab.value]
      tab.id = `tab-${n}-${tab.value}`
      panel.id = `panel-${n}-${tab.value}`
      panel.role = 'tabpanel'
      panel.setAttribute('aria-labelledby', tab.id)
      tab.setAttribute('aria-controls', panel.id)
      tab.addEventListener('click', () => pick(tab))
      bar.append(tab)
      tabs.push(tab)
    }
    bar.addEventListener('keydown', ({ key, target }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key]
      if (!step) return
      const { children } = bar
      const next = children[([...children].indexOf(target) + step + children.length) % children.length]
      pick(next)
      next.focus()
    })
    group.prepend(bar)
  }
  mark()

  const links = new Map([...menu.querySelectorAll('li a')].map((link) => [link.hash.slice(1), link]))
  const watch = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue
        for (const link of links.values()) link.removeAttribute('aria-current')
        const link = links.get(entry.target.id)
        if (!link) continue
        link.setAttribute('aria-current', 'true')
        if (!isNarrow.matches) link.scrollIntoView({ block: 'nearest' })
      }
    },
    { rootMargin: '-10% 0px -80% 0px' },
  )
  for (const article of document.querySelectorAll('article[id]')) watch.observe(article)
})
