/**
 * The names of all settings, their defaults and what they mean, as the README and `loyalty-wallet config check` show
 * them. The compiler accepts no other names where settings are read.
 */
export interface Setting {
  /** In words, if it depends on other settings. */
  readonly default?: string
  readonly meaning: string
  /** Never printed. */
  readonly isSecret?: boolean
}

export type SettingName = keyof typeof list

const list = {
  PORT: { default: '8080', meaning: 'port to listen on; 0 picks a free one' },
  HOST: {
    default: '127.0.0.1',
    meaning: 'address to listen on; anything other than this computer requires TLS, see below',
  },
  DATA_DIR: {
    default: '`./data`',
    meaning:
      'folder for the embedded database, generated secrets and `demo.json`; relative to the folder the service is started in',
  },
  DATABASE_URL: {
    meaning:
      'a PostgreSQL to use instead of the embedded one; with several hosts (`postgres://user:password@host1,host2/database`), the one that accepts writes',
  },
  READ_DATABASE_URL: {
    meaning: 'a streaming replica of `DATABASE_URL` that answers reports, lists and exports',
  },
  MAX_DATA_AGE: {
    default: '10',
    meaning: 'seconds by which the replica may be behind; the primary answers if it is further behind',
  },
  CLUSTER_DIRECT: {
    default: '0',
    meaning:
      '1 connects to every server of a [cluster](docs/guides/running.md#a-cluster-of-servers), and sends the statements of each organization to the one that has its data',
  },
  ADMIN_TOKEN: {
    default: 'generated with the demo',
    meaning: 'grants access to `/admin/v1`; at least 16 characters',
    isSecret: true,
  },
  JWT_SECRET: {
    default: 'generated with the demo',
    meaning: 'signs access tokens; at least 32 characters',
    isSecret: true,
  },
  OTHER_JWT_SECRET: {
    meaning:
      'access tokens signed with it are accepted as well, so that `JWT_SECRET` can be changed without ending any ([how](docs/guides/operate.md#the-key-of-access-tokens))',
    isSecret: true,
  },
  CREDENTIAL_PEPPER: {
    default: '`JWT_SECRET`',
    meaning:
      'key for the hashes that credentials are stored as; set it separately so that `JWT_SECRET` can be changed',
    isSecret: true,
  },
  PUBLIC_URL: {
    default: 'the address printed at start',
    meaning:
      'the address people use to reach the service, such as `https://loyalty.example.com`; wallet page and invitation links use it, and people can sign in only there',
  },
  ACCESS_TOKEN_TTL: { default: '3600', meaning: 'lifetime of access tokens, in seconds' },
  REFRESH_TOKEN_TTL: { default: '2592000', meaning: 'lifetime of refresh tokens, in seconds' },
  EVENT_RETENTION: { default: '90', meaning: 'days for which events can be read; older ones are deleted' },
  DELIVERY_RETENTION: {
    default: '30',
    meaning: 'days for which the logs of deliveries to webhooks and of what sources sent are kept',
  },
  MESSAGE_RETENTION: { default: '90', meaning: 'days for which the log of messages is kept, 30 or more' },
  REQUEST_RETENTION: {
    default: '7',
    meaning:
      'days for which the request log is kept, 1 to 90; it has the newest 2,000 requests of an organization at most',
  },
  REPLY_RETENTION: {
    default: '3',
    meaning:
      'days for which responses are kept for retries with the same `Idempotency-Key`, 3 to 90; receipt numbers are kept forever',
  },
  WEBHOOK_ALLOWED_RANGES: {
    default: 'with the demo, this machine',
    meaning:
      'IP ranges besides the public internet that webhooks and messages may be sent to, such as `10.0.0.0/8`, separated by commas',
  },
  APPLE_PASS_CERT: {
    meaning:
      'PEM file of the pass type certificate that passes for Apple Wallet are signed with ([guide](docs/guides/wallet-passes.md))',
  },
  APPLE_PASS_KEY: {
    meaning: 'PEM file of its private key',
  },
  APPLE_PASS_ISSUER_CERT: {
    meaning: "PEM file of Apple's certificate that issued it",
  },
  APPLE_PASS_KEY_PASSPHRASE: {
    meaning: 'passphrase of `APPLE_PASS_KEY`',
    isSecret: true,
  },
  APPLE_PASS_TYPE: {
    default: 'that of the certificate',
    meaning: 'pass type that the certificate is expected to be for; another one is reported and not used',
  },
  APPLE_TEAM: {
    default: 'that of the certificate',
    meaning: 'team that the certificate is expected to be for; another one is reported and not used',
  },
  GOOGLE_WALLET_ISSUER: {
    meaning: 'issuer ID for passes in Google Wallet',
  },
  GOOGLE_WALLET_KEY: {
    meaning: 'JSON file of the key of a service account, for passes in Google Wallet',
  },
  APPLE_PUSH_URL: {
    default: "Apple's",
    meaning: "where Apple's push service is; for tests",
  },
  GOOGLE_WALLET_URL: {
    default: "Google's",
    meaning: "where Google's wallet service is; for tests",
  },
  GOOGLE_TOKEN_URL: {
    default: "Google's",
    meaning: 'where Google issues access tokens; for tests',
  },
  DEMO: {
    default: '1 with the embedded database, otherwise 0',
    meaning: 'creates a demo organization in an empty database',
  },
  DEMO_DAYS: { default: '90', meaning: 'days of customers, visits and coupons in a new demo; 0 to 366' },
  RATE_LIMIT: {
    default: '1000',
    meaning: 'requests per second per organization; `off` disables this and the next two, for benchmarks',
  },
  CONNECTION_RATE_LIMIT: {
    default: '`RATE_LIMIT`',
    meaning: 'requests per second per connection, so that one integration leaves capacity for the others',
  },
  ADDRESS_RATE_LIMIT: {
    default: '200',
    meaning: 'requests per second per address without a token, such as requests for one',
  },
  WORKERS: { default: '1', meaning: 'processes that share the port, to use more than one processor' },
  TLS_CERT: { meaning: 'PEM file with the certificate and its chain, if the service itself serves HTTPS' },
  TLS_KEY: { meaning: 'PEM file with the private key of `TLS_CERT`, without a passphrase' },
  TRUST_PROXY: { default: '0', meaning: '1: a proxy in front terminates TLS; trust its headers' },
  ALLOW_HTTP: { default: '0', meaning: '1: allow plain HTTP on a public address' },
  POSTGRES_BIN: { meaning: 'the bin folder of another PostgreSQL to embed (15 or newer)' },
  LOG_LEVEL: { default: 'info', meaning: 'trace, debug, info, warn, error, fatal or silent' },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    meaning:
      'base URL of an OpenTelemetry collector that traces are sent to (OTLP over HTTP), such as `http://127.0.0.1:4318`',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    meaning: 'headers for the collector, as `name=value,name=value`; values are percent-encoded',
    isSecret: true,
  },
  OTEL_SERVICE_NAME: { default: 'loyalty-wallet', meaning: 'name of the service in traces' },
  OTEL_TRACES_SAMPLER_ARG: {
    default: '1',
    meaning:
      'share of the traces that are recorded, from 0 to 1; where the caller names a trace, the caller decides',
  },
} satisfies Record<string, Setting>

export const settingList: Readonly<Record<SettingName, Setting>> = list
