/** What axe finds on a page, without looking twice at the same thing. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { isFull } from '../support/full.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const allRules = `['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']`
/** Those that colors can break. */
const colorRules = `{ type: 'rule', values: ['color-contrast', 'link-in-text-block'] }`

/** What was found to be right, as `listParts` counts it: of all journeys of this process. */
const right = new Set<number>()

// From here on as text: it runs in the page, which these tests have no types of.

/** What is on its way stands there in grey, or not at all. */
const isThere = `!document.querySelector('[aria-busy=true], .mantine-Loader-root, .mantine-Skeleton-root')`

/** A color on its way to another is neither of the two. */
const transitionsEnd = `Promise.allSettled(
  document.getAnimations().filter((one) => one instanceof CSSTransition).map(({ finished }) => finished),
).then(() => {})`

/**
 * How each element and all that is in it are built, as a number: elements, classes, styles, roles and states, whether
 * there is a text, and what they stand in. Two of the same number differ in their words, and axe says the same of them:
 * of the rows of a list, of the menu on the next page, of the page behind a dialog. The window and the colors count.
 */
const listParts = (rules: string) => `(() => {
  const told = /^(?:class|style|role|type|dir|lang|tabindex|hidden|inert|disabled|scope|aria-(?!label|describedby|controls|owns|activedescendant|valuetext))/
  const hash = (text) => {
    let sum = 0x811c9dc5
    for (let i = 0; i < text.length; i++) sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193)
    return sum
  }
  const parts = []
  const add = (element, above) => {
    const place = parts.push({ element }) - 1
    let own = element.localName
    for (const { name, value } of element.attributes)
      own += ' ' + name + (told.test(name) ? '=' + value : value === '' ? '' : '=')
    const around = hash(above + own)
    let inside = ''
    for (const node of element.childNodes) {
      if (node.nodeType === 3 && node.data.trim() !== '') inside += '"'
      if (node.nodeType === 1) inside += '<' + add(node, around)
    }
    parts[place].size = parts.length - place
    return (parts[place].number = hash(around + inside))
  }
  const { lang, dir, dataset } = document.documentElement
  const seen = [innerWidth, matchMedia('(prefers-color-scheme: dark)').matches, dir, dataset.mantineColorScheme]
  add(document.body, hash(seen.join() + lang + ${JSON.stringify(rules)}))
  return parts
})()`

/** Which of them there are; none of an element in which all was right before. */
const newParts = (rules: string, known: readonly number[]) => `(() => {
  const known = new Set(${JSON.stringify(known)})
  const parts = ${listParts(rules)}
  const [fresh, alike] = [[], []]
  for (let i = 0; i < parts.length; ) {
    const { element, number, size } = parts[i]
    const isKnown = known.has(number)
    if (!isKnown) fresh.push(number)
    // For axe to leave out a single word takes longer than to look at it.
    else if (size > 3) alike.push(element)
    known.add(number)
    i += isKnown ? size : 1
  }
  window.alikeForAxe = alike
  return fresh
})()`

const axeRun = (rules: string) => `axe
  .run({ exclude: ${isFull ? '[]' : 'window.alikeForAxe'} }, { runOnly: ${rules}, resultTypes: ['violations'] })
  .then(({ violations }) =>
    violations.map(({ id, help, nodes }) => ({
      id,
      help,
      places: nodes.slice(0, 5).map(({ target, html }) => target.join(' ') + ': ' + html.slice(0, 160)),
    })),
  )`

/** What somebody with a screen reader, a keyboard or weak eyes would stumble over. */
export async function expectAccessible(page: Page, rules = allRules): Promise<void> {
  await expect.poll(() => page.evaluate(isThere)).toBe(true)
  await page.evaluate(transitionsEnd)
  const fresh = isFull ? [] : await page.evaluate<number[]>(newParts(rules, [...right]))
  if (!isFull && fresh.length === 0) return
  if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(axeSource)
  expect(await page.evaluate(axeRun(rules))).toEqual([])
  for (const part of fresh) right.add(part)
}

/** What a page that was looked at in other colors can still have wrong. */
export function expectReadable(page: Page): Promise<void> {
  return expectAccessible(page, colorRules)
}
