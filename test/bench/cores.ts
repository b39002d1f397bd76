import { execFile } from 'node:child_process'
import { cpus } from 'node:os'
import { promisify } from 'node:util'

/** Who may run where: what is measured has a core to itself, all else shares the other cores. */
export type Place = 'measured' | 'rest'

/** Puts processes on cores; does nothing where the machine has one core only or no `taskset`. */
export type Cores = {
  /** One sentence on what was done. */
  readonly sentence: string
  readonly pin: (pid: number, place: Place) => Promise<void>
}

const run = promisify(execFile)
const MEASURED = '0'

/** Looks at how processes can be put on cores here. */
export const findCores = async (): Promise<Cores> => {
  const count = cpus().length
  const works = count > 1 && await run('taskset', ['-c', '-p', String(process.pid)]).then(() => true, () => false)
  if (!works) {
    const why = count > 1 ? 'there is no taskset' : 'there is one core only'
    return { sentence: `Unpinned, since ${why}: processes take cores from each other.`, pin: async () => undefined }
  }
  const rest = count === 2 ? '1' : `1-${count - 1}`
  return {
    sentence: `What is measured runs on core ${MEASURED} alone; load, platform stub and this program on ${rest}.`,
    pin: (pid, place) => pinTo(pid, place === 'measured' ? MEASURED : rest),
  }
}

const pinTo = async (pid: number, cores: string): Promise<void> => {
  await run('taskset', ['-a', '-c', '-p', cores, String(pid)])
}
