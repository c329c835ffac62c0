#!/usr/bin/env node
// Entry point of the program. It loads the rest only if it can be loaded; see check-installation.mjs.
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

/**
 * Exits immediately: Node 20 would go on to print the stack of a failed CommonJS package, even if it was
 * caught.
 */
function refuse(reason) {
  writeSync(2, `${reason}\n`)
  process.exit(1)
}
