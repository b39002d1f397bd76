import { randomBytes } from 'node:crypto'
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dropRunDatabases } from './databases.js'
import { costReport, measureFile, tooSlow, type FileCost } from './file-cost.js'
import { foldersLeft, processesLeft, watchResources } from './leftovers.js'
import { RUN_VARIABLE, sharedFolder, testRun } from './test-run.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The costs of the files of the last run, from which `npm run check:fast` chooses tests. */
export const COSTS = join(ROOT, 'node_modules/.cache/postern/file-costs.json')

/** The file in which the worker processes record the costs of their files. */
const notes = (): string => join(sharedFolder(testRun()), 'file-costs')

/** Before any worker process starts, in mocha's own process. */
export const mochaGlobalSetup = async (): Promise<void> => {
  process.env[RUN_VARIABLE] = randomBytes(4).toString('hex')
  await mkdir(sharedFolder(testRun()))
}

/** After the last worker process has ended: prints the costs of the files, and fails if any resource of the run is left. */
export const mochaGlobalTeardown = async (): Promise<void> => {
  const costs = await takeCosts()
  if (costs.length > 0) {
    process.stdout.write(`${costReport(costs)}\n`)
    await remember(costs)
  }
  const databases = await dropRunDatabases(testRun())
  const [processes, folders] = [await processesLeft(testRun()), await foldersLeft(testRun())]
  const left = [
    ...databases.map((each) => `the database ${each}`), ...processes.map((each) => `the process ${each}`),
    ...folders.map((each) => `the folder ${each}`),
  ]
  const slow = tooSlow(costs).map(({ file, cpu }) => `${file} took ${cpu.toFixed(1)} s of processor time, too much for the fast part`)
  const faults = [...slow, ...left.map((each) => `the tests have left ${each}`)]
  if (faults.length > 0) throw new Error(faults.join('\n'))
}

const takeCosts = async (): Promise<ReadonlyArray<FileCost>> => {
  const lines = await readFile(notes(), 'utf8').catch(() => '')
  return lines.split('\n').filter((line) => line !== '').map((line) => JSON.parse(line) as FileCost)
}

/** A run of some files keeps the recorded costs of the others. */
const remember = async (costs: ReadonlyArray<FileCost>): Promise<void> => {
  const before = await readFile(COSTS, 'utf8').then((text) => JSON.parse(text) as Readonly<Record<string, FileCost>>, () => ({}))
  await mkdir(join(COSTS, '..'), { recursive: true })
  await writeFile(COSTS, JSON.stringify({ ...before, ...Object.fromEntries(costs.map((cost) => [cost.file, cost])) }))
}

/** In each worker process, around each file. */
export const mochaHooks = {
  async beforeAll(this: Mocha.Context): Promise<void> {
    const root = this.test?.parent
    // From here on mocha's timer of this hook runs, like the timer of the hook below when that hook checks again.
    await Promise.resolve()
    const [first] = [...(root?.suites ?? []), ...(root?.tests ?? [])]
    // With `--no-parallel` mocha runs this hook only once for all files, so it cannot measure one file.
    if (root === undefined || first?.file === undefined || process.env['MOCHA_WORKER_ID'] === undefined) return
    const file = relative(ROOT, first.file)
    const cost = measureFile(file)
    const left = watchResources()
    // It is added now so that it runs after the hooks of the file.
    root.afterAll('nothing is left running', async () => {
      const taken = cost()
      await appendFile(notes(), `${JSON.stringify(taken)}\n`)
      const resources = await left()
      if (resources.length > 0) throw new Error(`${file} has left running: ${resources.join(', ')}`)
    })
  },
}
