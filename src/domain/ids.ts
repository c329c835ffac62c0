/**
 * Ids are a readable prefix and the 32 hex digits of a UUIDv7: sortable by time, not guessable, and the same
 * text in responses, logs and on the command line. The store keeps only the 16 bytes behind the prefix.
 */
export type OrganizationId = `org_${string}`
export type IntegrationId = `int_${string}`
export type ConnectionId = `con_${string}`
export type SecretId = `sec_${string}`
export type KeyId = `key_${string}`
export type PersonId = `psn_${string}`
export type SessionId = `ses_${string}`
export type CustomerId = `cus_${string}`
export type CardId = `card_${string}`
export type CampaignId = `cmp_${string}`
export type TransactionId = `txn_${string}`
export type ReturnId = `ret_${string}`
export type CouponId = `cpn_${string}`
export type ProductId = `prd_${string}`
export type BranchId = `brn_${string}`
export type UserId = `usr_${string}`
export type EventId = `evt_${string}`
export type RequestId = `req_${string}`
export type AuditEntryId = `aud_${string}`
export type WebhookId = `whk_${string}`
export type DeliveryId = `dlv_${string}`
export type MessageId = `msg_${string}`
export type ImportId = `imp_${string}`
export type SourceId = `src_${string}`
export type ReceivedId = `rcv_${string}`

export type Id =
  | OrganizationId
  | IntegrationId
  | ConnectionId
  | SecretId
  | KeyId
  | PersonId
  | SessionId
  | CustomerId
  | CardId
  | CampaignId
  | TransactionId
  | ReturnId
  | CouponId
  | ProductId
  | BranchId
  | UserId
  | EventId
  | RequestId
  | AuditEntryId
  | WebhookId
  | DeliveryId
  | MessageId
  | ImportId
  | SourceId
  | ReceivedId

export type IdPrefix = Id extends `${infer P}_${string}` ? P : never
export type IdOf<P extends IdPrefix> = Extract<Id, `${P}_${string}`>

const prefixes = [
  ...['org', 'int', 'con', 'sec', 'key', 'psn', 'ses', 'cus', 'card', 'cmp'],
  ...[
    'txn',
    'ret',
    'cpn',
    'prd',
    'brn',
    'usr',
    'evt',
    'req',
    'aud',
    'whk',
    'dlv',
    'msg',
    'imp',
    'src',
    'rcv',
  ],
]
const form = new RegExp(`^(?:${prefixes.join('|')})_[0-9a-f]{32}$`)

/** Whether a text has the form of an id of any kind. */
export function isId(text: string): boolean {
  return form.test(text)
}

/** Parses an id that a client sent; anything that is not one of ours is `undefined`, and so not found. */
export function parseId<P extends IdPrefix>(prefix: P, text: string): IdOf<P> | undefined {
  const start = prefix.length + 1
  if (text.length !== start + 32 || !text.startsWith(`${prefix}_`)) return undefined
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (!((code >= 48 && code <= 57) || (code >= 97 && code <= 102))) return undefined
  }
  return text as IdOf<P>
}
