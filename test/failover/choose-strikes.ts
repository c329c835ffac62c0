/** Those whose name has the word of `--only`. */
export function chooseStrikes<S extends { readonly name: string }>(strikes: readonly S[], only: string): S[] {
  const chosen = strikes.filter(({ name }) => name.includes(only))
  if (chosen.length > 0) return chosen
  throw new Error(`--only ${only} is no part of: ${strikes.map(({ name }) => name).join(', ')}.`)
}
