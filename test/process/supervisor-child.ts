// A service reduced to its database: started as a process of its own, so that tests can kill it.
import { startEmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.ts'

const [folder, binFolder] = process.argv.slice(2)
if (!folder) throw new Error('usage: supervisor-child <data folder> [bin folder]')

try {
  const server = await startEmbeddedPostgres({ folder, binFolder })
  const keepAlive = setInterval(() => {}, 1_000)
  process.once('SIGTERM', async () => {
    await server.stop()
    clearInterval(keepAlive)
  })
  // Last: whoever reads it may send the signal at once.
  const { connection, origin } = server
  console.log(JSON.stringify({ pid: server.pid(), connection, origin }))
} catch (error) {
  const { name, message } = error as Error
  console.log(JSON.stringify({ error: { name, message } }))
  process.exitCode = 1
}
