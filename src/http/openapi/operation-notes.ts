/**
 * One or two sentences about operations whose summary says nearly all. Longer descriptions, and those that depend
 * on the code beside them, are with the routes.
 */
const directory = (noun: string, plural: string) => ({
  [`list${plural}`]: 'Also those that sales have named and nobody has added.',
  [`get${noun}`]: 'By our ID.',
  [`create${noun}`]: 'Sales refer to it by your own ID.',
})

const barcode = 'An SVG with the quiet zone that scanners need.'
const rotated = (what: string) => `The old ${what} keeps working for \`overlapSeconds\`.`

export const operationNotes: Record<string, string> = {
  issueToken: 'The token is for one organization. When it expires, you may simply ask for a new token here.',
  getSession: 'Only for sessions of people; a bearer token has none.',
  signOut: 'Ends the session and removes the cookie.',
  signOutEverywhere: 'Ends all sessions of the person, this one included.',
  changePassword: 'Requires the current password. This session stays.',

  createCustomer: 'The same rules as for the profile of a new customer in `POST /v1/customers/register`.',
  getCustomer: 'The state of this moment. Fetch it again before each sale instead of storing it.',
  listCustomers: 'Erased customers are not listed.',
  patchCustomer: 'The same rules as for a new customer. What is left out stays as it is.',
  blockCustomer: 'Sales with the loyalty program are refused until the customer is unblocked.',
  unblockCustomer: 'The customer can collect, redeem and spend again.',
  adjustBalance: 'Books a ledger entry. It does not change `total`, and cannot take the balance below zero.',
  exportCustomer: 'For a request under data protection law.',
  listCustomerTransactions: 'Each with its items, what it did and its returns.',
  listLedgerEntries: 'Every change of every balance, with the balance after it.',
  listCustomerCoupons: 'Also those that were redeemed, have expired or were revoked.',

  getTillOrganization: 'Ask once when the till starts, instead of configuring it twice.',

  getCard: 'Its barcode, its status and its campaign.',
  blockCard: 'Sales with the card are refused until it is unblocked.',
  unblockCard: 'The card can be used again.',
  getCardBarcode: barcode,

  getTransaction: 'Also shows what was returned since.',

  listCoupons: 'In any status, unless `status` selects one.',
  getCoupon: 'Its reward, its status and when it expires.',
  issueCoupon: 'A coupon that no sale has granted.',
  revokeCoupon: 'It can no longer be redeemed. This cannot be undone.',

  getCampaign: 'Its state and its draft. A till sees published campaigns only.',
  createCampaign: 'Nobody can register into it until it is published.',
  publishCampaign:
    'The new version counts from the next basket on. A transaction records the version it ran on.',
  pauseCampaign: 'Redeeming coupons and spending points go on. Publishing resumes it.',
  archiveCampaign: 'An archived campaign cannot be published again.',
  getEnrollment: 'Off until you open it; `suggestion` is a name for the page.',
  listCampaignVersions: 'Each with its definition and what it changed.',
  compareCampaignVersions: 'Without parameters: the published version and the draft.',

  finishImport: 'It takes no more rows. Writes the event `import.finished`, unless it was a dry run.',
  listImports: 'Also those that were interrupted, and dry runs.',
  getImport: 'With the counts so far, and the row to resume after.',
  listTestOrganizations: 'With the time by the clock of each.',
  getTestClock: 'It goes on like the real one, from where it was set to.',

  listSenders: 'Without passwords and secrets, and with what is wrong if nothing can be sent.',
  listMessageKinds: 'Those that are sent by themselves first. Counts are of the last 30 days.',
  listMessageTexts: 'Your own words, or else ours.',
  setMessageText: 'Says which placeholders it does not know, and which there are.',
  deleteMessageText: 'Nothing happens if the words are ours.',
  listMessages: 'Neither addresses nor texts are kept: both are read when a message is sent.',
  getMessage: 'With every attempt, and what the mail server or the provider said.',
  noteBounce: 'Call it from the webhook of your provider. A second report changes nothing.',
  retryMessage: 'One that may have arrived could then arrive twice.',
  listWebhooks: 'Without their secrets.',
  getWebhook: 'Its secret is never shown again.',
  patchWebhook: 'What is left out stays as it is. A resumed webhook gets what happened meanwhile.',
  deleteWebhook: 'Nothing more is sent to it.',
  listDeliveries: 'Each with its attempts, what the receiver answered, and when it is tried next.',
  getDelivery: 'With every attempt.',
  replayDelivery: 'As a new delivery, with the same `webhook-id`.',

  listSources: 'Without their secrets.',
  getSource: 'With its address, and without its secrets.',
  patchSource: 'What is left out stays as it is. A resumed source gets recorded what it sent meanwhile.',
  listReceivedMessages: 'Without their contents.',
  getReceivedMessage:
    'Kept for 30 days, unless the operator has set otherwise, and erased with the customer.',

  ...directory('Product', 'Products'),
  ...directory('Branch', 'Branches'),
  ...directory('User', 'Users'),
  listTillProducts: 'For a cashier to choose from.',
  listTillBranches: 'For a cashier to choose from.',

  getSummary: "Days are those of the organization's time zone. At most 1,100 of them.",
  listDailyFigures: 'One entry for every day of the range.',
  checkIntegrity: 'May take a while.',

  getOrganization: 'Its name, region, look and settings.',
  patchOrganization: 'Takes effect with the next request. Country and currency are set by the operator.',
  listPeople: 'Also those who were invited and have not joined yet.',
  signOutPerson: 'They have to sign in again on every device.',
  listOwnConnections: 'Also those that were revoked. Keys and secrets are never shown again.',
  rotateConnection: rotated('secret'),

  getWalletCard: 'With no more personal data than the first name, and addresses that are masked.',
  getWalletBarcode: barcode,
  getWalletQrCode: barcode,
  getWalletIcon: "An SVG in the organization's color.",
  getWalletManifest: 'Browsers read it.',
  listWalletVisits: 'Archived sales are left out.',
  getLostWallet: 'Also for a link that is no longer valid, as long as it was one.',
  getWalletVisit: 'With what was returned later.',

  createOrganization: 'It starts with an active subscription and one branch, `main`.',
  listOrganizations: 'All organizations of the platform.',
  getOrganizationById: 'Its name, region, look and settings.',
  patchOrganizationById: 'Takes effect with its next request. The currency cannot be changed.',
  invitePersonToOrganization: 'The service sends no email: share the link yourself.',
  listPeopleOfOrganization: 'In the order they were added.',
  createIntegration: 'One key serves all organizations that the integration is connected to.',
  listIntegrations: 'All integrations of the platform.',
  getIntegration: 'Its API key is never shown again.',
  rotateIntegrationKey: rotated('key'),
  createConnection: 'The scopes default to `pos`.',
  listConnections: 'Those of one organization.',
  getConnection: 'Its API secret is never shown again.',
  rotateConnectionSecret: rotated('secret'),

  getLiveness: 'Does not look at the database.',
  getReadiness: 'Fails while the database cannot be reached or the service is shutting down.',
  getMetrics: 'Counters and durations of requests, baskets, jobs and the database.',
}
