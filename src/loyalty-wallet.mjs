#!/usr/bin/env node
// Where the program begins. It loads the rest only when the rest can be loaded; see check-installation.mjs.
import { writeSync } from 'node:fs'
import { complainAboutNode, explainMissingPackage } from './check-installation.mjs'

const complaint = complainAboutNode()
if (complaint) refuse(complaint)
process.setSourceMapsEnabled(true)
import('./main.ts').then(({ main }) => main(), refuseToLoad)

function refuseToLoad(error) {
  const reason = explainMissingPackage(error)
  if (!reason) throw error
  refuse(reason)
}

/** At once: Node 20 goes on to print the stack of a CommonJS package that failed, although the error was caught. */
function refuse(reason) {
  writeSync(2, `${reason}\n`)
  process.exit(1)
}
