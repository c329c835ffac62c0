// Checks whether the service in this container can serve requests. HEALTHCHECK runs it instead of curl, which the
// image does not have. The certificate is issued for another name than this container's, so it is not verified.
import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'

const { PORT = '8080', TLS_CERT } = process.env
const ask = TLS_CERT ? getHttps : getHttp
const options = { host: '127.0.0.1', port: PORT, path: '/readyz', timeout: 4_000, rejectUnauthorized: false }

const request = ask(options, (reply) => {
  reply.resume()
  console.log(`/readyz answers ${reply.statusCode}`)
  process.exitCode = reply.statusCode === 200 ? 0 : 1
})
request.on('timeout', () => request.destroy(new Error('no answer within 4 seconds')))
request.on('error', (error) => {
  console.log(`/readyz is not reached: ${error.message}`)
  process.exitCode = 1
})
