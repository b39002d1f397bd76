// `npm run check:fast`: types, lint and the dependency rule, with their caches, and the tests nearest to the changes since a commit (HEAD, or the given
// commit). Run it before each commit; `npm test` runs the rest.
import { execFile, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { fileURLToPath } from 'node:url'
import { isSlow, type FileCost } from './file-cost.js'
import { distancesTo, readImporters } from './imports.js'
import { COSTS } from './run-hooks.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The maximum total time of the chosen tests, in seconds of processor time of an earlier run. */
const BUDGET_SECONDS = 30

/** Assumed for a test file that has not been run here yet. */
const UNKNOWN_SECONDS = 2

const git = async (...args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const { stdout } = await promisify(execFile)('git', args, { cwd: ROOT, maxBuffer: 2 ** 26 })
  return stdout.split('\n').filter((line) => line !== '')
}

/** The tests nearest to the changes, as many as fit, and the number that did not fit. */
const chooseTests = async (since: string): Promise<{ readonly chosen: ReadonlyArray<string>; readonly left: number }> => {
  const unknown = await git('ls-files', '--others', '--exclude-standard')
  const changed = [...(await git('diff', '--name-only', '--diff-filter=d', since)), ...unknown]
  const files = [...(await git('ls-files')), ...unknown]
  const distances = distancesTo(await readImporters(ROOT, files), changed)
  const near = [...distances].filter(([file]) => file.endsWith('.test.ts') && !isSlow(file))
    .sort(([, one], [, other]) => one - other)
    .map(([file]) => file)
  const costs = await readFile(COSTS, 'utf8').then((text) => JSON.parse(text) as Readonly<Record<string, FileCost>>, () => undefined)
  let spent = 0
  const chosen = near.filter((file) => (spent += costs?.[file]?.cpu ?? UNKNOWN_SECONDS) <= BUDGET_SECONDS)
  return { chosen, left: near.length - chosen.length }
}

/** Runs a script or command to its end and shows its output if it fails. */
const passes = (name: string, command: string, args: ReadonlyArray<string>): Promise<boolean> =>
  new Promise((resolve) => {
    const began = performance.now()
    const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
    const printed: Buffer[] = []
    for (const output of [child.stdout, child.stderr]) output.on('data', (chunk: Buffer) => printed.push(chunk))
    child.once('close', (status) => {
      const seconds = ((performance.now() - began) / 1_000).toFixed(1)
      process.stdout.write(`${status === 0 ? '✔' : '✘'} ${name} (${seconds} s)\n${status === 0 ? '' : Buffer.concat(printed).toString()}`)
      resolve(status === 0)
    })
  })

const script = (name: string): Promise<boolean> => passes(name, 'npm', ['run', '--silent', name])

const test = async (since: string): Promise<boolean> => {
  const { chosen, left } = await chooseTests(since)
  const compiled = await script('compile')
  if (!compiled || chosen.length === 0) return compiled
  const title = `${chosen.length} test files nearest to what changed${left > 0 ? `; \`npm test\` runs ${left} more that it may reach` : ''}`
  return passes(title, 'mocha', ['--jobs', '2', '--reporter', 'dot', ...chosen])
}

const since = process.argv[2] ?? 'HEAD'
const linted = script('lint:cached').then(async (ok) => (await script('depcruise:cached')) && ok)
const tested = script('types').then(async (ok) => (await script('types:core')) && (await test(since)) && ok)
const results = await Promise.all([linted, tested])
process.exitCode = results.every(Boolean) ? 0 : 1
