/**
 * Which addresses webhooks may be sent to. A merchant chooses the URL, so it must not lead to what only this machine
 * can reach: addresses that are not on the public internet are refused, unless the operator allows their range.
 */
import { BlockList, isIP } from 'node:net'

export interface Range {
  readonly address: string
  readonly bits: number
}

export interface Addresses {
  /** Whether a webhook may be sent to this IP address. */
  isAllowed(address: string): boolean
  /** Whether the operator has allowed it by a range: only these can be used without TLS. */
  isOwn(address: string): boolean
}

/** Special purpose addresses, by the IANA registries: this host, private networks, documentation, multicast. */
const notPublic = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
  ...['::/128', '::1/128', '64:ff9b::/96', '64:ff9b:1::/48', '100::/64', '2001::/23', '2001:db8::/32'],
  ...['2002::/16', '3fff::/20', '5f00::/16', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
]

/** `10.0.0.0/8`, or an address alone; undefined for anything else. */
export function parseRange(text: string): Range | undefined {
  const [, address = '', bits] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? []
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!
  const length = bits === undefined ? most : Number(bits)
  return length <= most && most > 0 ? { address, bits: length } : undefined
}

export function createAddresses(ranges: readonly Range[]): Addresses {
  const forbidden = listOf(notPublic.map((text) => parseRange(text)!))
  const own = listOf(ranges)
  const isOwn = (address: string) => own.check(address, familyOf(address))
  return {
    isOwn,
    isAllowed: (address) => isOwn(address) || !forbidden.check(address, familyOf(address)),
  }
}

function listOf(ranges: readonly Range[]): BlockList {
  const list = new BlockList()
  for (const { address, bits } of ranges) list.addSubnet(address, bits, familyOf(address))
  return list
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')
