/** What a run starts is removed at its end, also if it fails or is interrupted while something is still starting. */
interface Removable {
  remove(isKept?: boolean): Promise<void>
}

export type ToBeRemoved = <T extends Removable>(starting: Promise<T>) => Promise<T>

/** Runs, removes, and ends the process: with 0 if everything was good. */
export async function runAndRemove(
  run: (toBeRemoved: ToBeRemoved) => Promise<boolean>,
  isKept: boolean,
): Promise<never> {
  const started: Promise<Removable>[] = []
  const removeStarted = async () => {
    for (const item of started) {
      const removable = await item.catch(() => undefined)
      // The others are removed also if this one cannot be.
      await removable?.remove(isKept).catch((error) => console.error(error))
    }
  }
  let stopping: Promise<void> | undefined
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      console.error('Stopped: ending what was started.')
      stopping ??= removeStarted().finally(() => process.exit(130))
    })
  const isGood = await run((starting) => {
    started.push(starting)
    return starting
  }).catch((error) => {
    if (!stopping) console.error(error)
    return false
  })
  await (stopping ?? removeStarted())
  // Something may still be waiting for connections.
  process.exit(isGood ? 0 : 1)
}
