// Runs every snippet of the guides against a service that it starts; `npm run check:clients` does the same with its own.
import { startDemoService } from './demo-service.mjs'
import { runGuides } from './run-guides.mjs'

let service
try {
  service = await startDemoService({ DEMO_DAYS: '0' })
  const from = performance.now()
  console.log(`${await runGuides(service.folder)} in ${Math.round((performance.now() - from) / 1000)} s.`)
} catch (error) {
  console.error(`A guide fails: ${error.message}`)
  process.exitCode = 1
} finally {
  await service?.stop()
}
