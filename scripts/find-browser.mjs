// Prints the path of a Chromium that starts: the one named in CHROMIUM, the one installed by npm (Linux x64
// only), or one installed on the system. If there is none, it says what to install and exits with 1.
import { existsSync } from 'node:fs'
import packaged from '@sparticuz/chromium'
import { chromium } from 'playwright-core'

/** The headless shell comes first: it takes half the time of a full browser. */
const installed = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]
const named = process.env.CHROMIUM
const comesWithNpm = process.platform === 'linux' && process.arch === 'x64'
const candidates = named
  ? [() => named]
  : [
      ...(comesWithNpm ? [() => packaged.executablePath()] : []),
      ...installed.filter(existsSync).map((path) => () => path),
    ]

const reasons = []
for (const find of candidates) {
  let executablePath
  try {
    executablePath = await find()
    await (await chromium.launch({ executablePath, args: ['--no-sandbox'] })).close()
    console.log(executablePath)
    process.exit(0)
  } catch (error) {
    reasons.push(
      `${executablePath ?? 'the browser that comes with npm'} does not start: ${firstLines(error.message)}`,
    )
  }
}
if (!named && !comesWithNpm) {
  reasons.unshift(`No browser comes with npm for ${process.platform} ${process.arch}.`)
}
console.error(
  [
    'No browser starts. Install Chromium or Google Chrome (Debian: apt-get install chromium-headless-shell), or name one in CHROMIUM.',
    ...reasons,
  ].join('\n'),
)
process.exit(1)

/** The browser's own output; the rest of the message is its command line. */
function firstLines(message) {
  const lines = message.split('\n')
  const said = lines.filter((line) => line.startsWith('[pid='))
  return [lines[0], ...said].slice(0, 4).join('\n  ')
}
