/** Evaluates the mappings of the guide as they are written there. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { checkMade, json } from '../../adapters/json.ts'
import { packageRoot } from '../../package-root.ts'
import { createMappingRunner } from './run-mapping.ts'

const guide = readFileSync(join(packageRoot, 'docs/guides/sources.md'), 'utf8')
const blocks = [...guide.matchAll(/^```(jsonata|json payload|json made)\n([\s\S]*?)^```$/gm)].map(
  ([, kind, text]) => ({ kind, text: text! }),
)
const runner = createMappingRunner()
afterAll(() => runner.close())

test('the mappings of the guide make of the messages what it shows', async () => {
  let expression = ''
  let payload: unknown
  let made = 0
  for (const { kind, text } of blocks) {
    if (kind === 'jsonata') expression = text
    else if (kind === 'json payload') payload = JSON.parse(text)
    else {
      const { topic } = json.identify({}, payload)
      const outcome = await runner.run({ org: 'org_a', expression, payload: json.excerpt(payload), topic })
      expect(outcome).toHaveProperty('value')
      expect(checkMade('value' in outcome ? outcome.value : undefined)).toEqual(JSON.parse(text))
      made++
    }
  }
  expect(made).toBe(4)
})
