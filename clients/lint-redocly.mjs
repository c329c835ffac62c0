// Redocly with the rules of redocly.yaml, which its command line reads as well.
import { fileURLToPath } from 'node:url'
import { lint, loadConfig } from '@redocly/openapi-core'

const pathOf = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url))
const config = await loadConfig({ configPath: pathOf('redocly.yaml') })
const findings = await lint({ ref: pathOf('openapi.json'), config })
for (const { ruleId, message, location } of findings)
  console.error(`${ruleId}: ${message} (${location[0]?.pointer})`)
console.log(`${findings.length} findings`)
process.exitCode = findings.length > 0 ? 1 : 0
