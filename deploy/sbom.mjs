// Prints what a production install of the package.json in this folder consists of, as a software bill of materials in the format CycloneDX.
// npm writes it from a copy of the lock file from which everything for development was taken: `npm sbom --omit dev` leaves out whatever a tool for development uses,
// too, such as koa.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const { devDependencies, overrides, allowScripts, ...manifest } = JSON.parse(readFileSync('package.json', 'utf8'))
const folder = mkdtempSync(join(tmpdir(), 'postern-sbom-'))
try {
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  copyFileSync('package-lock.json', join(folder, 'package-lock.json'))
  const npm = (...words) => execFileSync('npm', words, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  npm('install', '--package-lock-only', '--ignore-scripts', '--offline', '--no-audit', '--no-fund')
  process.stdout.write(npm('sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'))
} finally {
  rmSync(folder, { recursive: true })
}
