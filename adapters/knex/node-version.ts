/** The lowest version of Node.js, as in `engines` of package.json, about which npm only warns. See docs/decisions/0021. */
export const LOWEST_NODE = '22.19'

/** The problem with a version of Node.js, in one sentence; `undefined` if Postern runs on it. */
export const nodeFault = (version: string): string | undefined => {
  const [major, minor] = numbersOf(version)
  const [lowestMajor, lowestMinor] = numbersOf(LOWEST_NODE)
  const isOlder = major < lowestMajor || (major === lowestMajor && minor < lowestMinor)
  return isOlder ? `this is Node.js ${version}, and Postern needs ${LOWEST_NODE} or later` : undefined
}

const numbersOf = (version: string): readonly [major: number, minor: number] => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return [major, minor]
}
