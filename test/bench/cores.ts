import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { promisify } from 'node:util'

/** Who may run where: what is measured has a core to itself, all else shares the other cores. */
export type Place = 'measured' | 'rest'

/** Puts processes on cores; does nothing where the machine has one core only or no `taskset`. */
export type Cores = {
  /** One sentence on what was done. */
  readonly sentence: string
  readonly pin: (pid: number, place: Place) => Promise<void>
  /** Keeps local database servers off the measured core; answers how to put them back. */
  readonly pinDatabases: () => Promise<() => Promise<void>>
}

const run = promisify(execFile)
const MEASURED = '0'

/** Looks at how processes can be put on cores here. */
export const findCores = async (): Promise<Cores> => {
  const count = cpus().length
  const works = count > 1 && await run('taskset', ['-c', '-p', String(process.pid)]).then(() => true, () => false)
  if (!works) {
    const why = count > 1 ? 'there is no taskset' : 'there is one core only'
    return { sentence: `Unpinned, since ${why}: processes take cores from each other.`, pin: async () => undefined, pinDatabases: async () => async () => undefined }
  }
  const rest = count === 2 ? '1' : `1-${count - 1}`
  return {
    sentence: `What is measured runs on core ${MEASURED} alone; load, platform stub and this program on ${rest}.`,
    pin: (pid, place) => pinTo(pid, place === 'measured' ? MEASURED : rest),
    pinDatabases: async () => {
      const before = await Promise.all((await databaseProcesses()).map(async (pid) => ({ pid, cores: await coresOf(pid) })))
      for (const { pid } of before) await pinTo(pid, rest)
      return async () => {
        for (const { pid, cores } of before) await pinTo(pid, cores).catch(() => undefined)
      }
    },
  }
}

const pinTo = async (pid: number, cores: string): Promise<void> => {
  await run('taskset', ['-a', '-c', '-p', cores, String(pid)])
}

const coresOf = async (pid: number): Promise<string> => {
  const { stdout } = await run('taskset', ['-c', '-p', String(pid)])
  return stdout.slice(stdout.lastIndexOf(':') + 1).trim()
}

const databaseProcesses = async (): Promise<ReadonlyArray<number>> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const names = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')))
  return pids.filter((_, place) => /^(mariadbd|mysqld|postgres)$/.test(names[place]?.trim() ?? '')).map(Number)
}
