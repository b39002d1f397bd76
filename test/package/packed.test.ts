// The package is packed and installed once for these: that takes longer than most of them. Each brings the optional packages into the state it needs.
import './commands.js'
import './examples.js'
import './size-table.js'
import './tarball.js'
