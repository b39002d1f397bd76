// Slow: packs the package, installs it once for all of these, and starts a process of Node.js for each import and command. Each brings the optional packages
// into the state it needs.
import './commands.js'
import './examples.js'
import './size-table.js'
import './tarball.js'
