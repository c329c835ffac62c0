import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeScene, type Scene } from './scene.ts'
import { runStorm } from './storm.ts'
import { storms } from './storms.ts'

let scene: Scene

beforeAll(async () => {
  scene = await makeScene()
})

afterAll(() => scene.remove())

const seed = Math.floor(Math.random() * 1_000_000)

test.each(storms)(
  'nothing is lost, doubled or left hanging: $name',
  async (storm) => {
    const context = expect.getState().currentTestName
    const result = await runStorm(scene, storm, { seed })
    if (result.skipped) console.warn(`${context}: skipped, ${result.skipped}`)
    expect(result.problems, `seed ${seed}, ${JSON.stringify(result.tally)}`).toEqual([])
  },
  120_000,
)
