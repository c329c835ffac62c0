import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeScene, type Scene } from './scene.ts'
import { runStorm, type StormResult } from './storm.ts'
import { storms as allStorms } from './storms.ts'

const storms = allStorms.filter(({ everyTime }) => everyTime)
const seed = Math.floor(Math.random() * 1_000_000)
/** A storm is mostly waiting, and none reaches what another one stands on, so three go on at a time. */
const lanes = 3

let scene: Scene
const ended = new Map(storms.map((storm) => [storm, createSettlement()]))

beforeAll(async () => {
  scene = await makeScene()
  const waiting = [...ended]
  const takeNext = async (): Promise<void> => {
    const next = waiting.shift()
    if (!next) return
    const [storm, { resolve, reject }] = next
    await runStorm(scene, storm, { seed }).then(resolve, reject)
    return takeNext()
  }
  for (let lane = 0; lane < lanes; lane++) void takeNext()
})

afterAll(async () => {
  await Promise.allSettled([...ended.values()].map(({ promise }) => promise))
  await scene.remove()
})

test.each(storms)(
  'nothing is lost, doubled or left hanging: $name',
  async (storm) => {
    const { promise } = ended.get(storm)!
    const { skipped, problems, tally } = await promise
    if (skipped) console.warn(`${storm.name}: skipped, ${skipped}`)
    expect(problems, `seed ${seed}, ${JSON.stringify(tally)}`).toEqual([])
  },
  180_000,
)

function createSettlement() {
  let resolve: (result: StormResult) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<StormResult>((done, fail) => {
    resolve = done
    reject = fail
  })
  // Its own test tells; until then a failure is not one that nobody looks at.
  promise.catch(() => {})
  return { promise, resolve, reject }
}
