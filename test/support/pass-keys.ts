import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AppleKeysInput } from '../../src/operations/passes/check-keys.ts'

/** Whether there is an `openssl` command, which makes the certificates and checks the signatures. */
export const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

export interface PassAuthority {
  readonly folder: string
  /** The path of the certificate that everything is verified against. */
  readonly root: string
  readonly intermediate: string
  /** A pass type certificate that is valid for these days; negative for one that has expired. */
  issue(options?: IssueOptions): AppleKeysInput
  /** A server's certificate for this computer. */
  issueServer(): { readonly cert: string; readonly key: string; readonly ca: string }
  openssl(...args: string[]): string
  write(name: string, content: Buffer | string): string
  read(name: string): string
  remove(): void
}

export interface IssueOptions {
  readonly passType?: string
  readonly team?: string
  /** Names in the certificate; by default as Apple writes them. */
  readonly subject?: string
  readonly days?: number
  readonly key?: 'rsa' | 'ec'
}

export const testPassType = 'pass.com.example.loyalty'
export const testTeam = 'TEAM123456'

let made = 0

/** It takes long to find the primes of a key, so certificates of the same role share one. */
const rsaKeys = new Map<string, string>()

function rsaKey(role: string): string {
  const known = rsaKeys.get(role)
  if (known) return known
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  rsaKeys.set(role, pem)
  return pem
}

const ecKey = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })

/** A root, an intermediate and pass type certificates like those of Apple, made with the openssl command. */
export function createPassAuthority(): PassAuthority {
  const folder = mkdtempSync(join(tmpdir(), 'lw-passes-'))
  const at = (name: string) => join(folder, name)
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const read = (name: string) => readFileSync(at(name), 'utf8')
  const request = (name: string, subject: string, key: 'rsa' | 'ec' = 'rsa') => {
    writeFileSync(at(`${name}.key`), key === 'rsa' ? rsaKey(name.replace(/\d/g, '')) : ecKey())
    openssl('req', '-new', '-key', `${name}.key`, '-out', `${name}.csr`, '-subj', subject)
  }
  const sign = (name: string, by: string, days: number, extensions: string) => {
    writeFileSync(at('extensions'), extensions)
    const now = Date.now()
    const asn1 = (ms: number) => `${new Date(ms).toISOString().replace(/[-:T]|\.\d+Z/g, '')}Z`
    const from = asn1(now - 400 * 86_400_000)
    const until = asn1(now + days * 86_400_000)
    writeFileSync(at('index'), '')
    writeFileSync(at('serial'), String(1000 + ++made))
    writeFileSync(
      at('ca.conf'),
      '[ca]\ndefault_ca=own\n[own]\ndatabase=index\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\npolicy=any\n' +
        'unique_subject=no\nstring_mask=utf8only\n[any]\n',
    )
    openssl(
      ...[
        'ca',
        '-batch',
        '-config',
        'ca.conf',
        '-preserveDN',
        '-in',
        `${name}.csr`,
        '-out',
        `${name}.pem`,
        '-notext',
      ],
      ...['-cert', `${by}.pem`, '-keyfile', `${by}.key`, '-extfile', 'extensions'],
      ...['-startdate', from, '-enddate', until],
    )
  }
  writeFileSync(at('root.key'), rsaKey('root'))
  openssl(
    ...['req', '-x509', '-key', 'root.key', '-out', 'root.pem', '-days', '3650'],
    ...['-subj', '/C=US/O=Example/CN=Example Root'],
  )
  request('intermediate', '/C=US/O=Example/OU=G4/CN=Example Worldwide Developer Relations')
  sign('intermediate', 'root', 3_000, 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n')
  return {
    folder,
    root: at('root.pem'),
    intermediate: read('intermediate.pem'),
    issue({ passType = testPassType, team = testTeam, subject, days = 365, key }: IssueOptions = {}) {
      const name = `pass-${++made}`
      const names = `/UID=${passType}/CN=Pass Type ID: ${passType}/OU=${team}/O=Example/C=US`
      request(name, subject ?? names, key)
      sign(name, 'intermediate', days, 'keyUsage=critical,digitalSignature\nextendedKeyUsage=clientAuth\n')
      return {
        certificate: read(`${name}.pem`),
        privateKey: read(`${name}.key`),
        intermediate: read('intermediate.pem'),
      }
    },
    issueServer() {
      request('server', '/CN=localhost')
      sign('server', 'root', 365, 'subjectAltName=DNS:localhost,IP:127.0.0.1\n')
      return { cert: read('server.pem'), key: read('server.key'), ca: read('root.pem') }
    },
    openssl,
    write(name, content) {
      writeFileSync(at(name), content)
      return at(name)
    },
    read,
    remove: () => rmSync(folder, { recursive: true }),
  }
}

/** The files of an archive, found by its directory as any other program finds them. */
export function readZip(archive: Buffer): Map<string, Buffer> {
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  const files = new Map<string, Buffer>()
  let at = archive.readUInt32LE(end + 16)
  for (let i = 0; i < archive.readUInt16LE(end + 10); i++) {
    const [size, nameLength] = [archive.readUInt32LE(at + 20), archive.readUInt16LE(at + 28)]
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength)
    const local = archive.readUInt32LE(at + 42)
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28)
    files.set(name, archive.subarray(start, start + size))
    at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
  }
  return files
}
