#!/usr/bin/env node
import { nodeFault } from '../../adapters/knex/node-version.js'

// Nothing else is loaded before this: an older Node.js may fail to load a package, and the driver of SQLite kills the process with a signal.
const fault = nodeFault(process.versions.node)
if (fault === undefined) {
  // Loaded first, so that it applies to all other modules.
  const { keepCompiledCode } = await import('./compile-cache.js')
  // The demonstration leaves nothing behind.
  if (process.argv[2] !== 'demo') keepCompiledCode()
  await import('./start.js')
} else {
  process.stderr.write(`postern: ${fault}\n`)
  process.exitCode = 1
}
