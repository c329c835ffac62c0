/** Completion for each shell: scripts that need nothing but the shell, so that pressing Tab takes no time. */

/** What can be typed after each command, read from the commands themselves. */
export interface CompletionNode {
  /** The words that lead to it, such as `organization create`; empty for the program. */
  readonly path: readonly string[]
  readonly words: readonly { readonly word: string; readonly text: string }[]
}

const program = 'loyalty-wallet'

export function toScript(shell: 'bash' | 'zsh' | 'fish', nodes: readonly CompletionNode[]): string {
  return { bash: toBash, zsh: toZsh, fish: toFish }[shell](nodes)
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** The words typed so far that name commands, in a variable `path`. */
const findPath = (isKnown: string) => `  local path='' word
  for word in "\${words[@]:1:$((cword - 1))}"; do
    case "$path$word" in
      ${isKnown}) path="$path$word " ;;
    esac
  done`

function toBash(nodes: readonly CompletionNode[]): string {
  const cases = nodes.map(({ path, words }) => {
    const typed = path.length === 0 ? "''" : quote(`${path.join(' ')} `)
    return `    ${typed}) candidates=${quote(words.map(({ word }) => word).join(' '))} ;;`
  })
  const known = nodes.filter(({ path }) => path.length > 0).map(({ path }) => quote(path.join(' ')))
  return `# Completion of ${program} for bash.
_loyalty_wallet() {
  local words=("\${COMP_WORDS[@]}") cword=$COMP_CWORD current="\${COMP_WORDS[COMP_CWORD]}" candidates=''
${findPath(known.join('|'))}
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "$current"))
}
complete -o default -F _loyalty_wallet ${program}
`
}

function toZsh(nodes: readonly CompletionNode[]): string {
  const describe = (text: string) => text.replaceAll(':', '\\:')
  const cases = nodes.map(({ path, words }) => {
    const typed = path.length === 0 ? "''" : quote(`${path.join(' ')} `)
    const list = words.map(({ word, text }) => quote(`${describe(word)}:${describe(text)}`))
    return `    ${typed}) candidates=(${list.join(' ')}) ;;`
  })
  const known = nodes.filter(({ path }) => path.length > 0).map(({ path }) => quote(path.join(' ')))
  return `#compdef ${program}
# Completion of ${program} for zsh.
_${program}() {
  local place='' word
  local -a candidates
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    case "$place$word" in
      ${known.join('|')}) place="$place$word " ;;
    esac
  done
  case "$place" in
${cases.join('\n')}
  esac
  _describe ${quote(program)} candidates || _files
}
# As a file of fpath this is the function itself; with eval it only defines it.
if [ "\${funcstack[1]}" = _${program} ]; then _${program} "$@"; else compdef _${program} ${program}; fi
`
}

function toFish(nodes: readonly CompletionNode[]): string {
  const lines = nodes.flatMap(({ path, words }) => {
    const below = words.filter(({ word }) => !word.startsWith('-')).map(({ word }) => word)
    const isHere = [
      ...path.map((word) => `__fish_seen_subcommand_from ${word}`),
      ...(below.length > 0 ? [`not __fish_seen_subcommand_from ${below.join(' ')}`] : []),
    ].join('; and ')
    const when = isHere === '' ? '' : ` -n ${quote(isHere)}`
    return words.map(({ word, text }) => {
      const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${quote(word)}`
      return `complete -c ${program}${when} ${what} -d ${quote(text)}`
    })
  })
  return `# Completion of ${program} for fish.\n${lines.join('\n')}\n`
}
