import { nodeFault } from './node-version.js'

// If this is the first import of a module, it fails before any other import runs. Under Node.js 20 the driver of SQLite ends the process with a signal.
const fault = nodeFault(process.versions.node)
if (fault !== undefined) throw new Error(fault)
