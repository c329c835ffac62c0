// Loaded into the service before its own code (`node --import`): a clock that is as wrong as a file says.
import { readFileSync } from 'node:fs'

const RealDate = Date
const file = process.env.CLOCK_OFFSET_FILE!
let offsetMs = 0

class WrongDate extends RealDate {
  constructor(...args: unknown[]) {
    // @ts-expect-error: what Date accepts, this one accepts.
    super(...(args.length > 0 ? args : [RealDate.now() + offsetMs]))
  }

  static override now(): number {
    return RealDate.now() + offsetMs
  }
}

globalThis.Date = WrongDate as DateConstructor

setInterval(() => {
  offsetMs = Number(readFileSync(file, 'utf8')) || 0
}, 20).unref()
