#!/usr/bin/env node
import { nodeFault } from '../../adapters/knex/node-version.js'

// Nothing else is loaded before this: an older Node.js may fail to read a package, and the driver of SQLite ends its process with a signal.
const fault = nodeFault(process.versions.node)
if (fault === undefined) {
  await import('./start.js')
} else {
  process.stderr.write(`postern: ${fault}\n`)
  process.exitCode = 1
}
