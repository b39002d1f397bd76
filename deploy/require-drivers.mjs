// Makes the optional drivers dependencies of the package.json in this folder, so that `npm ci --omit=dev` installs them in the versions of the lock file.
import { readFileSync, writeFileSync } from 'node:fs'

const { peerDependencies, peerDependenciesMeta, devDependencies, ...manifest } = JSON.parse(readFileSync('package.json', 'utf8'))
const others = Object.entries(devDependencies).filter(([name]) => !(name in peerDependencies))
writeFileSync('package.json', JSON.stringify({
  ...manifest,
  dependencies: { ...manifest.dependencies, ...peerDependencies },
  devDependencies: Object.fromEntries(others),
}, null, 2))
