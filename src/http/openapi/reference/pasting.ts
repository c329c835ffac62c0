/**
 * What makes the examples of the reference page work as pasted, from its top to its end and as often as one
 * likes: what is set first, what an example keeps of its response for later ones, and which come last. The
 * commands have no comments, because an interactive zsh would run them.
 */

/** Placeholder for the address of the service, which is known only when the page is requested. */
export const addressMark = '{service-address}'

export interface Preparation {
  /** What the examples need, in Markdown. */
  readonly about: string
  /** Commands that provide it, with the demo. */
  readonly commands?: string
}

export const preparation: readonly Preparation[] = [
  {
    about:
      'The examples are commands for any shell, and need only curl and Node.js. In the folder where you started the demo, paste this first. Without the demo, set `API_KEY`, `API_SECRET` and `CAMPAIGN`, the ID of a published campaign, to your own values.',
    commands: `demo() { node -p "require('./data/demo.json').$1"; }
BASE=${addressMark}
API_KEY=$(demo apiKey)
API_SECRET=$(demo apiSecret)
CAMPAIGN=$(demo campaignId)`,
  },
  {
    about:
      'Then get a token. `pick` reads a value from the last response kept in the file `$REPLY`; `RUN` makes phone numbers, receipt numbers and so on unique.',
    commands: `RUN=$(date +%s)
PHONE="+1 202 $((RUN % 8000000 + 2000000))"
REPLY=$(mktemp)
COOKIES=$(mktemp)
pick() { node -pe "JSON.parse(require('fs').readFileSync(0))$1" < "$REPLY"; }

curl -s -X POST "$BASE/auth/token" \\
  -H "x-api-key: $API_KEY" \\
  -H "x-api-secret: $API_SECRET" > "$REPLY"
TOKEN=$(pick .accessToken)`,
  },
  {
    about:
      'From here on, paste the examples in the order of the page: what one of them needs, an earlier one has set. They change data, and fit the campaign of the demo.',
  },
]

export const preparationOfTag: Readonly<Record<string, Preparation>> = {
  People: {
    about: 'The examples use the session of an owner. In the demo:',
    commands: `curl -X POST "$BASE/auth/session" \\
  -c "$COOKIES" \\
  -H 'content-type: application/json' \\
  -d @- <<JSON
{
  "email": "$(demo consoleEmail)",
  "password": "$(demo consolePassword)"
}
JSON`,
  },
  Sources: {
    about: 'The examples are about a source of any kind of JSON, and a sale that it has sent:',
    commands: `curl -s -X POST "$BASE/v1/sources" \\
  -H "authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' \\
  -d @- > "$REPLY" <<JSON
{
  "kind": "json",
  "name": "Till of the museum",
  "campaign": "$CAMPAIGN",
  "registersCustomers": true,
  "mapping": "{ \\"type\\": \\"sale\\", \\"opaqueId\\": receipt, \\"who\\": { \\"email\\": mail }, \\"amount\\": total }"
}
JSON
SOURCE=$(pick .id)
curl -X POST "$(pick .url)" \\
  -H "authorization: Bearer $(pick .secret)" \\
  -H 'content-type: application/json' \\
  -d @- <<JSON
{"receipt":"M-$RUN","mail":"ada-$RUN@example.com","total":12.5}
JSON`,
  },
  'Test mode': {
    about: 'The examples about the clock use a token of the test organization that an earlier one creates:',
    commands: `test_token() {
  curl -s -X POST "$BASE/auth/token" \\
    -H "x-api-key: $TEST_KEY" \\
    -H "x-api-secret: $TEST_SECRET" > "$REPLY"
  pick .accessToken
}`,
  },
  Platform: {
    about: "The examples use the service's `ADMIN_TOKEN`. In the demo:",
    commands: 'ADMIN_TOKEN=$(demo adminToken)',
  },
  Sessions: {
    about:
      "The examples are Grace's, who was [invited](/docs#invitePersonToOrganization) before. `INVITATION` is the part of her link after the `#`.",
  },
}

/** The variables that later examples need, and where the response has their values. */
export const keptValues: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  issueToken: { TOKEN: '.accessToken', REFRESH_TOKEN: '.refreshToken' },
  refreshToken: { TOKEN: '.accessToken', REFRESH_TOKEN: '.refreshToken' },
  createCustomer: { OTHER_CUSTOMER: '.id' },
  registerCustomer: { CUSTOMER: '.id', CARD: '.cards[0].id' },
  replaceCard: { CARD: '.id' },
  renewWallet: { WALLET: '.walletUrl' },
  processTransaction: { TRANSACTION: '.id' },
  issueCoupon: { COUPON: '.id' },
  createCampaign: { NEW_CAMPAIGN: '.id' },
  createProduct: { PRODUCT: '.id' },
  createBranch: { BRANCH: '.id' },
  createUser: { USER_ID: '.id' },
  addWebhook: { WEBHOOK: '.id' },
  testWebhook: { DELIVERY: '.id' },
  beginImport: { IMPORT: '.id' },
  listReceivedMessages: { RECEIVED: '.data[0].id' },
  sendCardLink: { MESSAGE: '.id' },
  addConnection: { CONNECTION: '.id' },
  listRequests: { REQUEST: '.data[0].id' },
  invitePerson: { PERSON: '.id' },
  addTestOrganization: { TEST_ORGANIZATION: '.id', TEST_KEY: '.apiKey', TEST_SECRET: '.apiSecret' },
  createOrganization: { ORGANIZATION: '.id' },
  invitePersonToOrganization: { INVITATION: '.invitation.url.split("#")[1]' },
  createIntegration: { INTEGRATION: '.id' },
  createConnection: { CONNECTION: '.id' },
}

/** They end what the other examples of their section need, so they come last in it. */
export const lastOfTag: readonly string[] = [
  'eraseCustomer',
  'archiveCampaign',
  'deleteTestOrganization',
  'deleteWebhook',
  'deleteSource',
  'deleteEmailSender',
  'deleteSmsSender',
  'removePerson',
  'signOutEverywhere',
  'signOut',
]
