/** What the service has to know about a kind of sender before it knows what a message means. */

/** A request as it was received. The names of headers are in lower case. */
export interface Incoming {
  /** The full URL that the sender was given: Square signs it. */
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The bytes as they were received: a signature is about them. */
  readonly body: Buffer
}

export interface SignatureOptions {
  /** The header with the signature, for senders that sign (`json`). In any case. */
  readonly signatureHeader?: string
}

export interface Identity {
  /** What the sender calls this message, to process it once. */
  readonly eventId?: string
  readonly topic?: string
}

export interface Adapter {
  /** Whether the sender knows the secret. Takes the same time whichever part is wrong. */
  isGenuine(incoming: Incoming, secret: string, options: SignatureOptions): boolean
  identify(headers: Incoming['headers'], payload: unknown): Identity
  /**
   * What is stored of the payload: what the mapping needs, and what helps to understand it. No addresses, no data
   * about devices and payments.
   */
  excerpt(payload: unknown): unknown
  /** What may stay of an excerpt that is not about a customer; undefined for nothing. */
  withoutBuyer(excerpt: unknown): unknown
}
