import { readFileSync } from 'node:fs'

/** The cost of a test file in seconds: wall-clock time, and processor time of its process and of the ended processes that it started. */
export type FileCost = { readonly file: string; readonly wall: number; readonly cpu: number }

/** Whether the name of a file says that it belongs to the slow part, or to the tests that only a nightly run includes. */
export const isSlow = (file: string): boolean => /\.(slow|long)\.test\.ts$/.test(file)

/** The maximum processor time of a file of the fast part, in seconds, on a quiet machine. */
const FAST_CPU_SECONDS = 15

/** The same limit as a share of the whole fast part. On a busy machine every file needs more processor time for the same work. */
const FAST_PART = 1 / 20

/** The files of the fast part that exceed both limits: in processor time, and relative to the other files of the run. */
export const tooSlow = (costs: ReadonlyArray<FileCost>): ReadonlyArray<FileCost> => {
  const fast = costs.filter(({ file }) => !isSlow(file))
  const whole = fast.reduce((total, { cpu }) => total + cpu, 0)
  return fast.filter(({ cpu }) => cpu > FAST_CPU_SECONDS && cpu > FAST_PART * whole)
}

/** Starts a measurement; the returned function gives the cost since then. */
export const measureFile = (file: string): (() => FileCost) => {
  const [wall, cpu] = [performance.now(), cpuSeconds()]
  return () => ({ file, wall: (performance.now() - wall) / 1_000, cpu: cpuSeconds() - cpu })
}

/** The kernel counts in hundredths of a second, independent of the clock rate. */
const TICKS = 100

/** The position of the times of ended children in `/proc/self/stat`, counted from the state, the first field after the name: proc_pid_stat(5), fields 16 and 17. */
const CHILD_USER = 13
const CHILD_SYSTEM = 14

const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6 + childSeconds()
}

const childSeconds = (): number => {
  if (process.platform !== 'linux') return 0
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ').map(Number)
  return ((fields[CHILD_USER] ?? 0) + (fields[CHILD_SYSTEM] ?? 0)) / TICKS
}

const SHOWN = 20

/** The slowest files by wall-clock time, as lines for people. */
export const costReport = (costs: ReadonlyArray<FileCost>): string => {
  const slowest = [...costs].sort((one, other) => other.wall - one.wall).slice(0, SHOWN)
  const sum = (of: (cost: FileCost) => number): string => costs.reduce((total, cost) => total + of(cost), 0).toFixed(0)
  const line = ({ file, wall, cpu }: FileCost): string => `${wall.toFixed(1).padStart(8)} ${cpu.toFixed(1).padStart(8)}  ${file}`
  return [
    `  ${costs.length} files took ${sum(({ wall }) => wall)} s by the clock, one after another, and ${sum(({ cpu }) => cpu)} s of processor time. The slowest:`,
    '   clock       cpu', ...slowest.map(line), '',
  ].join('\n')
}
