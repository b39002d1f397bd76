import { execFile } from 'node:child_process'
import { cpus } from 'node:os'
import { promisify } from 'node:util'

/** The measured process has its own core; all others share the other cores. While a start is measured, nothing is pinned: `all`. */
export type CoreGroup = 'measured' | 'rest' | 'all'

/** Pins processes to cores; does nothing if the machine has one core or no `taskset`. */
export type Cores = {
  /** One sentence about how processes are pinned, for the report. */
  readonly sentence: string
  readonly pin: (pid: number, group: CoreGroup) => Promise<void>
}

const run = promisify(execFile)
const MEASURED = '0'

/** Finds out how processes can be pinned on this machine. */
export const findCores = async (): Promise<Cores> => {
  const count = cpus().length
  const works = count > 1 && await run('taskset', ['-c', '-p', String(process.pid)]).then(() => true, () => false)
  if (!works) {
    const why = count > 1 ? 'there is no taskset' : 'there is one core only'
    return { sentence: `Unpinned, since ${why}: processes take cores from each other.`, pin: async () => undefined }
  }
  const rest = count === 2 ? '1' : `1-${count - 1}`
  const coresOf = { measured: MEASURED, rest, all: `0-${count - 1}` }
  return {
    sentence: `What is measured runs on core ${MEASURED} alone; load, platform stub and this program on ${rest}.`,
    pin: (pid, group) => pinTo(pid, coresOf[group]),
  }
}

const pinTo = async (pid: number, cores: string): Promise<void> => {
  await run('taskset', ['-a', '-c', '-p', cores, String(pid)])
}
