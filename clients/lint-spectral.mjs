// Spectral with the rules of .spectral.yaml, which its command line reads as well; without it there is less to
// install.
import { readFile } from 'node:fs/promises'
import spectral from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import yaml from '@stoplight/yaml'

const read = (name) => readFile(new URL(`../${name}`, import.meta.url), 'utf8')
const { extends: base, ...ruleset } = yaml.parse(await read('.spectral.yaml'))
if (base !== 'spectral:oas') throw new Error('.spectral.yaml has to extend spectral:oas, and nothing else')

const linter = new spectral.Spectral()
linter.setRuleset({ ...ruleset, extends: [rulesets.oas] })
const findings = await linter.run(await read('openapi.json'))
for (const { code, message, path } of findings) console.error(`${code}: ${message} (${path.join('.')})`)
console.log(`${findings.length} findings`)
process.exitCode = findings.length > 0 ? 1 : 0
