/**
 * Reads a request and writes a given response, with `node:http` and nothing else: what a call costs on this
 * platform before anything is done for it.
 */
import { createServer } from 'node:http'
import { answerParent } from './answers.ts'

const { headers, body } = JSON.parse(process.argv[2]!) as { headers: string[]; body: string }

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => response.writeHead(201, headers).end(body))
})
server.listen(0, '127.0.0.1', () => answerParent((server.address() as { port: number }).port))
