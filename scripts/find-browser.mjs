// Prints the path of a Chromium that starts: the one named in CHROMIUM, the one that comes with npm, or an
// installed one. Exits with 1 when there is none, and says why each did not start.
import { existsSync } from 'node:fs'
import packaged from '@sparticuz/chromium'
import { chromium } from 'playwright-core'

const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const named = process.env.CHROMIUM
const candidates = named
  ? [() => named]
  : [() => packaged.executablePath(), ...installed.filter(existsSync).map((path) => () => path)]

const reasons = []
for (const find of candidates) {
  try {
    const executablePath = await find()
    await (await chromium.launch({ executablePath, args: ['--no-sandbox'] })).close()
    console.log(executablePath)
    process.exit(0)
  } catch (error) {
    reasons.push(error.message)
  }
}
console.error(`No browser starts. Install Chromium, or name one in CHROMIUM.\n${reasons.join('\n')}`)
process.exit(1)
