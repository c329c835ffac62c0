import { expect, test } from 'vitest'
import { readSettings } from '../config.ts'
import { explainFailure } from './explain-failure.ts'

test('the loss of another server of a cluster is not blamed on DATABASE_URL', () => {
  const { config } = readSettings({ DATABASE_URL: 'postgres://db1/wallet' })
  const fail = (message: string, code: string) =>
    explainFailure(Object.assign(new Error(message), { code }), config)
  const advice = /^The database "wallet" at db1 has lost one of its servers .* loyalty-wallet doctor/
  for (const error of [
    fail('connection to the remote node app@db2:5432 failed', '08006'),
    fail('failure on connection marked as essential: db2:5432', 'XX000'),
  ])
    expect(error).toMatchObject({ code: 'database_unreachable', message: expect.stringMatching(advice) })
  expect(fail('the database system is shutting down', '57P03')).toMatchObject({
    message: expect.stringMatching(/Start it, or correct DATABASE_URL\.$/),
  })
})
