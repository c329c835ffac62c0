// The script of the pages under /docs: search, theme and copy buttons. Without it the page reads the
// same; the controls that need the script stay hidden until it runs.
const root = document.documentElement
const themes = ['system', 'light', 'dark']
const stored = () => {
  try {
    return localStorage.getItem('theme')
  } catch {
    return null
  }
}
const apply = (theme) => {
  if (theme === 'system') delete root.dataset.theme
  else root.dataset.theme = theme
}
let theme = themes.includes(stored()) ? stored() : 'system'
apply(theme)

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
    try {
      localStorage.setItem('theme', theme)
    } catch {}
    apply(theme)
    label()
  })

  const sections = [...menu.querySelectorAll('nav section')]
  search?.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
    if (words.length > 0) menu.open = true
    let found = 0
    for (const section of sections) {
      const links = [...section.querySelectorAll('li a')]
      for (const link of links) {
        const isMatch = words.every((word) => link.dataset.words.includes(word))
        link.parentElement.hidden = !isMatch
        if (isMatch) found++
      }
      section.hidden = words.length > 0 && !links.some((link) => !link.parentElement.hidden)
    }
    document.getElementById('nothing').hidden = found > 0
  })
  search?.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    const first = menu.querySelector('nav section:not([hidden]) li:not([hidden]) a')
    if (first) first.click()
  })
  addEventListener('keydown', (event) => {
    if (!search || event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
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
